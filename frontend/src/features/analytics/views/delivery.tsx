import { Select } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Run } from '@/contracts/api';
import { numberText } from '@/i18n';
import { useEstatePage } from '@/hooks/use-estate-page';

import { BarsChart } from '../charts/bars-chart';
import { plainNumber, SeriesChart } from '../charts/series-chart';
import { Card } from '../components/card';
import { ChartPart } from '../components/chart-part';
import { ServerTable } from '../components/server-table';
import { hoursOf, percents, waysOf } from '../options/hours';
import { countOf, summed, textOf, type Row } from '../options/records';
import classes from './views.module.css';

const byHour = { column: 'hour_at', isDescending: false } as const;
const most = { column: 'messages', isDescending: true } as const;
const ofEstate = ['estate'] as const;

/** How long messages took, by hour, route, service and number of hops, and what was dropped. */
export function DeliveryView({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const table = { estate, run: run.id, without: ofEstate };
  return (
    <>
      <Card
        run={run}
        table="hourly"
        title={t('delivery.hourly')}
        about={t('delivery.hourlyAbout')}
        chart={
          <ChartPart run={run} table="hourly" sorting={byHour} none={t('delivery.none')}>
            {(rows) => <Hourly rows={rows} />}
          </ChartPart>
        }
      >
        <ServerTable {...table} table="hourly" label={t('delivery.hourly')} first={byHour} none={t('delivery.none')} />
      </Card>
      <Card run={run} table="by_route" title={t('delivery.byRoute')} about={t('delivery.byRouteAbout')}>
        <ServerTable
          {...table}
          table="by_route"
          label={t('delivery.byRoute')}
          first={most}
          bars={['messages', 'latency_p95']}
        />
      </Card>
      <Card run={run} table="by_service" title={t('delivery.byService')}>
        <ServerTable
          {...table}
          table="by_service"
          label={t('delivery.byService')}
          first={most}
          bars={['messages', 'latency_p95']}
        />
      </Card>
      <div className={classes.pair}>
        <Card
          run={run}
          table="by_hops"
          title={t('delivery.byHops')}
          about={t('delivery.byHopsAbout')}
          chart={
            <ChartPart run={run} table="by_hops" none={t('delivery.none')}>
              {(rows) => <Hops rows={rows} />}
            </ChartPart>
          }
        >
          <ServerTable {...table} table="by_hops" label={t('delivery.byHops')} bars={['messages']} />
        </Card>
        <Card
          run={run}
          table="drops"
          title={t('delivery.drops')}
          about={t('delivery.dropsAbout')}
          chart={
            <ChartPart run={run} table="drops" none={t('delivery.noDrops')}>
              {(rows) => <Drops rows={rows} />}
            </ChartPart>
          }
        >
          <ServerTable
            {...table}
            table="drops"
            label={t('delivery.drops')}
            first={{ column: 'drops', isDescending: true }}
            bars={['drops']}
            none={t('delivery.noDrops')}
          />
        </Card>
      </div>
    </>
  );
}

function Hourly({ rows }: { rows: Row[] }) {
  const { t, i18n } = useTranslation('analytics');
  const [way, setWay] = useState<string | null>(null);
  const ways = useMemo(() => waysOf(rows), [rows]);
  const hours = useMemo(() => hoursOf(rows, way), [rows, way]);
  const latency = useMemo(
    () =>
      percents.map((percent) => ({
        name: way === null ? t('delivery.highest', { percent }) : percent,
        figures: hours.latency[percent],
      })),
    [hours, way, t],
  );
  const messages = useMemo(() => [{ name: t('column.messages'), figures: hours.messages, isBar: true }], [hours, t]);
  const text = useMemo(
    () => (figure: number) => i18n.t('analytics:milliseconds', { figure: numberText(Math.round(figure)) }),
    [i18n],
  );
  return (
    <div className={classes.hours}>
      <Select
        size="xs"
        className={classes.way ?? ''}
        label={t('delivery.way')}
        placeholder={t('delivery.allWays')}
        searchable
        clearable
        limit={100}
        data={ways}
        value={way}
        onChange={setWay}
      />
      <h3>{t('delivery.latency')}</h3>
      <SeriesChart label={t('delivery.latencyLabel')} at={hours.at} lines={latency} text={text} />
      <h3>{t('delivery.messages')}</h3>
      <SeriesChart label={t('delivery.messagesLabel')} at={hours.at} lines={messages} text={plainNumber} height={120} />
    </div>
  );
}

function Hops({ rows }: { rows: Row[] }) {
  const { t } = useTranslation('analytics');
  const bars = useMemo(
    () =>
      rows
        .toSorted((one, other) => countOf(one, 'hops') - countOf(other, 'hops'))
        .map((row) => ({
          name: row.hops === null ? t('delivery.hopsUnknown') : t('delivery.hops', { count: countOf(row, 'hops') }),
          figures: [countOf(row, 'messages')],
        })),
    [rows, t],
  );
  const sets = useMemo(() => [t('column.messages')], [t]);
  return <BarsChart label={t('delivery.byHopsLabel')} bars={bars} sets={sets} />;
}

function Drops({ rows }: { rows: Row[] }) {
  const { t } = useTranslation('analytics');
  const bars = useMemo(
    () =>
      [...summed(rows, (row) => textOf(row, 'number'), 'drops')]
        .sort(([, one], [, other]) => other - one)
        .slice(0, 20)
        .map(([number, drops]) => ({ name: number, figures: [drops] })),
    [rows],
  );
  const sets = useMemo(() => [t('column.drops')], [t]);
  return <BarsChart label={t('delivery.dropsLabel')} bars={bars} sets={sets} />;
}
