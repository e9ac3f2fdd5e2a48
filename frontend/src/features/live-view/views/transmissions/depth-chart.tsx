import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { depthLines, depthsNow } from '@/live/grid/depths';
import type { History } from '@/live/grid/history';

import { LineChart } from '../../frame/plot/line-chart';
import { lineStyles } from '../../frame/plot/line-styles';
import type { Watched } from '../../frame/plot/use-history';
import type { ViewQuery } from '../../frame/use-view-query';
import summary from '../summary.module.css';
import classes from './depth-chart.module.css';

/** Of every database, whatever the view is narrowed to: one row of each instance will do, for sums are of all. */
export const depthParams = { rows: 1 } as const;

export const watchedDepths: Watched = {
  isOf: ({ topic, params }) => topic === 'transmissions' && params.rows === depthParams.rows,
  isClocked: true,
  valuesOf: ({ facts }) => depthsNow(facts),
};

/** The last five minutes, second by second: a line for each instance, of one that is chosen for each database. */
export function DepthChart({ history, query }: { history: History; query: ViewQuery }) {
  const { t } = useTranslation('views');
  const { instance, database } = query;
  const { lines, more } = useMemo(() => depthLines(history, instance, database), [history, instance, database]);
  const title = instance === null ? t('transmissions.depthByInstance') : t('transmissions.depthOf', { instance });
  return (
    <section className={`${summary.part} ${classes.chart}`} aria-label={t('transmissions.depthChart')}>
      {lines.length === 0 ? (
        <p className={classes.note}>{t('transmissions.depthNone')}</p>
      ) : (
        <LineChart
          name={title}
          unit="number"
          lines={lines}
          more={more}
          at={history.at}
          styles={lineStyles(lines.map(({ name }) => name))}
          isNamed
        />
      )}
    </section>
  );
}
