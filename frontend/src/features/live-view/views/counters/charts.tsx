import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useParameter } from '@/hooks/use-view-state';
import { charts, counterOf, isAtRest, type Chart } from '@/live/grid/counters';
import type { History } from '@/live/grid/history';

import { LineChart } from '../../frame/plot/line-chart';
import { lineStyles, type LineStyles } from '../../frame/plot/line-styles';
import type { LiveList } from '../../frame/use-live-list';
import classes from './counters.module.css';
import { plotLines } from './lines';

/** A small chart for each counter among the rows, in groups as the vendor's objects are; those at rest on demand. */
export function Charts({ list, history }: { list: LiveList; history: History }) {
  const { t } = useTranslation('views');
  const [rest, showRest] = useParameter('rest');
  const { read, query } = list;
  const { rows } = list.shown;
  const counters = useMemo(() => rows.map((row) => counterOf(row, read)), [rows, read]);
  const all = useMemo(() => charts(counters, history, query.instance !== null), [counters, history, query.instance]);
  const shown = rest === null ? all.filter((chart) => !isAtRest(chart)) : all;
  const styles = lineStyles(all.flatMap((chart) => plotLines(chart).map(({ name }) => name)));
  const objects = [...new Set(shown.map(({ object }) => object))];
  if (all.length === 0) {
    return null;
  }
  return (
    <section className={classes.charts} aria-label={t('counters.charts')}>
      <header className={classes.head}>
        <ul className={classes.legend} aria-label={t('counters.legend')}>
          {[...styles].map(([name, { colour, dash }]) => (
            <li key={name}>
              <svg width="18" height="4" aria-hidden>
                <line x1="0" x2="18" y1="2" y2="2" stroke={colour} strokeWidth="3" strokeDasharray={dash.join(' ')} />
              </svg>
              {name}
            </li>
          ))}
        </ul>
        <Button
          size="compact-xs"
          variant="subtle"
          aria-pressed={rest !== null}
          onClick={() => {
            showRest(rest === null ? 'shown' : null);
          }}
        >
          {t(rest === null ? 'counters.showRest' : 'counters.hideRest', { count: all.filter(isAtRest).length })}
        </Button>
      </header>
      {shown.length === 0 && (
        <p className={classes.note}>{t(history.at.length < 2 ? 'counters.soon' : 'counters.allAtRest')}</p>
      )}
      {objects.map((object) => (
        <Group
          key={object}
          object={object}
          members={shown.filter((chart) => chart.object === object)}
          history={history}
          styles={styles}
        />
      ))}
    </section>
  );
}

type GroupProps = {
  object: string;
  members: readonly Chart[];
  history: History;
  styles: LineStyles;
};

function Group({ object, members, history, styles }: GroupProps) {
  return (
    <>
      <h3 className={classes.object}>{object}</h3>
      <ul className={classes.group}>
        {members.map((chart) => (
          <li key={chart.key}>
            <LineChart
              name={chart.name}
              unit={chart.unit}
              lines={plotLines(chart)}
              more={chart.more}
              at={history.at}
              styles={styles}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
