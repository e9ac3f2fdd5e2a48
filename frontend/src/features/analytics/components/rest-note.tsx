import { useTranslation } from 'react-i18next';

import type { Rest } from '../options/sums';
import classes from './card.module.css';

type Props = { rest: Rest; unit: 'conversations' | 'messages' | 'drops' };

/** What a chart of the largest does not show: a part is never taken for the whole. */
export function RestNote({ rest: { groups, figure }, unit }: Props) {
  const { t } = useTranslation('analytics');
  return groups <= 0 ? null : (
    <p className={classes.about}>
      {t('chart.others', { count: groups, with: t(`chart.counted.${unit}`, { count: figure }) })}
    </p>
  );
}
