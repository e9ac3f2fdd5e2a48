import { Select } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Run } from '@/contracts/api';
import { numberText } from '@/i18n';

import { plainNumber, SeriesChart } from '../charts/series-chart';
import { ChartPart } from '../components/chart-part';
import { SumsPart } from '../components/sums-part';
import { hoursOf, percents, wayFilters, wayOf, wayParts } from '../options/hours';
import { countOf, type Row } from '../options/records';
import { restOf, type Sums } from '../options/sums';
import classes from './views.module.css';

/** Ways that can be chosen. */
const waysMax = 1_000;
/** Of a very long span its end. */
const newest = { column: 'hour_at', isDescending: true } as const;

/** Latencies and messages by hour, of all messages or of one way. */
export function Hourly({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const asked = useMemo(() => {
    const known = run.tables.find(({ name }) => name === 'hourly')?.columns ?? [];
    return { by: wayParts.filter((part) => known.includes(part)), of: ['messages'], limit: waysMax };
  }, [run]);
  return (
    <SumsPart run={run} table="hourly" asked={asked} none={t('delivery.none')}>
      {(sums) => <OfWay run={run} sums={sums} />}
    </SumsPart>
  );
}

function OfWay({ run, sums }: { run: Run; sums: Sums }) {
  const { t } = useTranslation('analytics');
  // Percentiles cannot be added up: without a table of all ways there is no figure of them together.
  const hasAll = run.tables.some(({ name }) => name === 'by_hour');
  const ways = useMemo(() => new Map(sums.rows.map((row) => [wayOf(row), row])), [sums]);
  const [chosen, choose] = useState<string | null>(null);
  const way = chosen ?? (hasAll ? null : ([...ways.keys()][0] ?? null));
  const row = way === null ? undefined : ways.get(way);
  const figure = sums.rows.reduce((all, each) => all + countOf(each, 'messages'), 0);
  const rest = restOf(sums, { groups: sums.rows.length, figure });
  return (
    <div className={classes.hours}>
      <Select
        size="xs"
        className={classes.way ?? ''}
        label={t('delivery.way')}
        placeholder={t('delivery.allWays')}
        searchable
        clearable={hasAll}
        allowDeselect={hasAll}
        limit={100}
        data={[...ways.keys()]}
        value={way}
        onChange={choose}
      />
      {rest.groups > 0 && (
        <p className={classes.quiet}>
          {t('delivery.mostUsed', {
            shown: sums.rows.length,
            count: rest.groups,
            with: t('chart.counted.messages', { count: rest.figure }),
          })}
        </p>
      )}
      <ChartPart
        run={run}
        table={row === undefined ? 'by_hour' : 'hourly'}
        sorting={newest}
        filters={row === undefined ? [] : wayFilters(row)}
        none={t('delivery.none')}
      >
        {(rows) => <Series rows={rows} />}
      </ChartPart>
    </div>
  );
}

function Series({ rows }: { rows: Row[] }) {
  const { t, i18n } = useTranslation('analytics');
  const hours = useMemo(() => hoursOf(rows), [rows]);
  const latency = useMemo(
    () => percents.map((percent) => ({ name: percent, figures: hours.latency[percent] })),
    [hours],
  );
  const messages = useMemo(() => [{ name: t('column.messages'), figures: hours.messages, isBar: true }], [hours, t]);
  const text = useMemo(
    () => (figure: number) => i18n.t('analytics:milliseconds', { figure: numberText(Math.round(figure)) }),
    [i18n],
  );
  return (
    <>
      <h3>{t('delivery.latency')}</h3>
      <SeriesChart label={t('delivery.latencyLabel')} at={hours.at} lines={latency} text={text} />
      <h3>{t('delivery.messages')}</h3>
      <SeriesChart label={t('delivery.messagesLabel')} at={hours.at} lines={messages} text={plainNumber} height={120} />
    </>
  );
}
