import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import type { Run } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';

import { BarsChart } from '../charts/bars-chart';
import { Card } from '../components/card';
import { RestNote } from '../components/rest-note';
import { ServerTable } from '../components/server-table';
import { SumsPart } from '../components/sums-part';
import { countOf, textOf, type Row } from '../options/records';
import { restOf, type Sums } from '../options/sums';
import { Hourly } from './hourly';
import classes from './views.module.css';

const byHour = { column: 'hour_at', isDescending: false } as const;
const most = { column: 'messages', isDescending: true } as const;
/** A message has at most so many. */
const byHops = { by: ['hops'], of: ['messages'], limit: 1_000 };
const byNumber = { by: ['number'], of: ['drops'], limit: 20 };
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
        chart={<Hourly run={run} />}
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
            <SumsPart run={run} table="by_hops" asked={byHops} none={t('delivery.none')}>
              {({ rows }) => <Hops rows={rows} />}
            </SumsPart>
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
            <SumsPart run={run} table="drops" asked={byNumber} none={t('delivery.noDrops')}>
              {(sums) => <Drops sums={sums} />}
            </SumsPart>
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

function Drops({ sums }: { sums: Sums }) {
  const { t } = useTranslation('analytics');
  const bars = useMemo(
    () => sums.rows.map((row) => ({ name: textOf(row, 'number'), figures: [countOf(row, 'drops')] })),
    [sums],
  );
  const sets = useMemo(() => [t('column.drops')], [t]);
  const figure = bars.reduce((all, { figures: [drops = 0] }) => all + drops, 0);
  return (
    <>
      <BarsChart label={t('delivery.dropsLabel')} bars={bars} sets={sets} />
      <RestNote rest={restOf(sums, { groups: bars.length, figure })} unit="drops" />
    </>
  );
}
