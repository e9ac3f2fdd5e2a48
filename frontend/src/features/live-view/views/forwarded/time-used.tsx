import { useTranslation } from 'react-i18next';

import type { GridRow, Read } from '@/live/grid/rows';

import classes from './forwarded.module.css';

/**
 * How much of its time a message has used, as a bar and in words; as of the picture, which is made anew every five
 * seconds.
 */
export function TimeUsed({ row, read }: { row: GridRow; read: Read }) {
  const { t } = useTranslation('views');
  const [used, whole] = [Number(read(row, 'time_consumed')), Number(read(row, 'time_to_live'))];
  const share = whole <= 0 ? 1 : Math.min(1, used / whole);
  return (
    <span className={classes.used} title={t('forwarded.timeHint')}>
      <Bar share={share} />
      {t('forwarded.timeUsed', { used, whole })}
    </span>
  );
}

/** Part of a whole; the words beside it say it too. */
export function Bar({ share }: { share: number }) {
  return (
    <span className={classes.bar} data-full={share >= 0.9} data-filling={share >= 0.7} aria-hidden>
      <span style={{ inlineSize: `${share * 100}%` }} />
    </span>
  );
}
