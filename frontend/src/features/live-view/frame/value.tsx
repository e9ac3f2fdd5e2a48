import { useTranslation } from 'react-i18next';

import { ObjectName } from '@/components/ui/object-name';
import type { Cell } from '@/contracts/live-messages';
import { numberText } from '@/i18n';
import { useAbsoluteTime } from '@/lib/time';
import { plainText } from '@/live/grid/table-text';

import { Age, Id, Mono, Remaining } from '../components/cells';
import classes from './grid.module.css';
import type { Shape } from './looks';

/** 1900-01-01 in seconds since 1970: what SQL Server writes where there is no time. */
const noTime = -2_208_988_800;

/** A value by its shape. NULL says so: it is neither nothing nor unknown. */
export function Value({ value, shape, type }: { value: Cell; shape: Shape; type: string }) {
  const { t } = useTranslation('views');
  if (value === null || value === undefined) {
    return <span className={classes.faint}>{t('cell.null')}</span>;
  }
  switch (shape) {
    case 'age':
    case 'until':
    case 'instant':
    case 'moment':
      return value === noTime || typeof value !== 'number' ? (
        <span className={classes.faint}>{t('cell.noTime')}</span>
      ) : (
        <Time value={value} shape={shape} />
      );
    case 'id':
      return <Id value={plainText(value, type)} />;
    case 'number':
      return typeof value === 'number' ? numberText(value) : plainText(value, type);
    case 'name':
      return <ObjectName>{plainText(value, type)}</ObjectName>;
    case 'flag':
    case 'text':
      return <Mono>{plainText(value, type)}</Mono>;
  }
}

function Time({ value, shape }: { value: number; shape: 'age' | 'until' | 'instant' | 'moment' }) {
  const timeText = useAbsoluteTime();
  if (shape === 'age') {
    return <Age at={value} />;
  }
  return shape === 'until' ? <Remaining until={value} /> : timeText(value * 1000, shape === 'moment' ? 3 : 0);
}
