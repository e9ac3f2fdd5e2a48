import { useTranslation } from 'react-i18next';

import { Section } from '@/components/ui/section';
import { charts, counterOf, counterTypes } from '@/live/grid/counters';
import type { History } from '@/live/grid/history';
import type { GridRow, Read } from '@/live/grid/rows';

import { LineChart } from '../../frame/plot/line-chart';
import { lineStyles } from '../../frame/plot/line-styles';
import classes from '../details.module.css';
import { plotLines } from './lines';

/** One counter of one instance: its last minutes, and how its value is to be read. */
export function CounterDetails({ row, read, history }: { row: GridRow; read: Read; history: History }) {
  const { t } = useTranslation('views');
  const counter = counterOf(row, read);
  const own = charts([counter], history, counter.of !== '' && counter.of !== '_Total');
  const kind =
    (Object.keys(counterTypes) as (keyof typeof counterTypes)[]).find((each) => counterTypes[each] === counter.type) ??
    'number';
  return (
    <Section title={t('counters.lately')}>
      {own.map((chart) => (
        <LineChart
          key={chart.key}
          name={chart.name}
          unit={chart.unit}
          lines={plotLines(chart)}
          more={chart.more}
          at={history.at}
          styles={lineStyles(plotLines(chart).map(({ name }) => name))}
        />
      ))}
      <p className={classes.note}>{t(`counters.type.${kind}`)}</p>
    </Section>
  );
}
