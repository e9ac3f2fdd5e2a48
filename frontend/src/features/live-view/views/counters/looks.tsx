import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { counterTypes, unitOf, counterOf } from '@/live/grid/counters';
import type { GridRow, Read } from '@/live/grid/rows';

import gridClasses from '../../frame/grid.module.css';
import { figureText } from '../../frame/plot/figure-text';
import type { Looks } from '../../frame/looks';
import { instanceLook } from '../common';

type RowProps = { row: GridRow; read: Read };

export function useCounterLooks(): Looks {
  const { t } = useTranslation('views');
  return useMemo(
    () => ({
      instance_name: instanceLook(t),
      object_name: { shape: 'text', width: 230, isSortable: true },
      counter_name: { shape: 'text', width: 270, isSortable: true },
      'instance_name/vendor': { shape: 'text', isSortable: true, width: 136, hint: t('counters.instanceHint') },
      figure: {
        title: t('counters.now'),
        hint: t('counters.nowHint'),
        shape: 'number',
        width: 120,
        isSortable: true,
        cell: (_, row, read) => <Figure row={row} read={read} />,
      },
      cntr_value: { isSortable: true, width: 130, hint: t('counters.valueHint') },
      cntr_type: { shape: 'text', width: 110, isHidden: true },
      unit: { title: t('counters.unit'), isHidden: true },
    }),
    [t],
  );
}

/** What a counter is now; a word where there is nothing to be told, or nobody can tell. */
export function Figure({ row, read }: RowProps) {
  const { t } = useTranslation('views');
  const figure = read(row, 'figure');
  const counter = counterOf(row, read);
  if (typeof figure === 'number') {
    return <>{figureText(figure, unitOf(counter.name, counter.type))}</>;
  }
  const isKnown = typeof read(row, 'cntr_value') === 'number';
  const reason =
    counter.type === counterTypes.base
      ? 'base'
      : !isKnown
        ? 'unknown'
        : counter.type === counterTypes.average
          ? 'noAverage'
          : 'soon';
  return (
    <span className={gridClasses.faint} title={t(`counters.none.${reason}.meaning`)}>
      {t(`counters.none.${reason}.word`)}
    </span>
  );
}
