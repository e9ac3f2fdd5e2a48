import { useTranslation } from 'react-i18next';

import { Section } from '@/components/ui/section';
import { charts, counterOf, counterTypes, type History } from '@/live/grid/counters';
import type { GridRow, Read } from '@/live/grid/rows';

import classes from '../details.module.css';
import { CounterChart } from './chart';
import { lineColours } from './lines';

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
        <CounterChart key={chart.key} chart={chart} at={history.at} colours={lineColours(own)} />
      ))}
      <p className={classes.note}>{t(`counters.type.${kind}`)}</p>
    </Section>
  );
}
