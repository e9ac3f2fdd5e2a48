import { SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Run } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';

import { EChart } from '../charts/echart';
import { shareText } from '../columns';
import { Card } from '../components/card';
import { RestNote } from '../components/rest-note';
import { ServerTable } from '../components/server-table';
import { SumsPart } from '../components/sums-part';
import { heatHeight, heatOf, heatOption } from '../options/heat';
import { countOf, textOf } from '../options/records';
import { isOverNetwork, linksOf, sankeyHeight, sankeyOption, streamsOfWays } from '../options/sankey';
import { restOf, type Sums } from '../options/sums';
import type { ChartTheme } from '../options/theme';
import classes from './views.module.css';

const most = { column: 'messages', isDescending: true } as const;
/** Ways of few messages that nobody draws are counted in the rest. */
const byWay = { by: ['way'], of: ['messages'], limit: 10_000 };
const byLink = { by: ['instance', 'address'], of: ['messages', 'share'], limit: 1_000 };
const without = ['estate'] as const;

/** The ways that messages went, how much each link carried, loops, routes nobody needs, uneven copies. */
export function PathsView({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const table = { estate, run: run.id, without };
  return (
    <>
      <Card
        run={run}
        table="ways"
        title={t('paths.ways')}
        about={t('paths.waysAbout')}
        chart={
          <SumsPart run={run} table="ways" asked={byWay} none={t('paths.noWays')}>
            {(sums) => <Ways sums={sums} />}
          </SumsPart>
        }
      >
        <ServerTable
          {...table}
          table="ways"
          label={t('paths.ways')}
          first={most}
          bars={['messages']}
          none={t('paths.noWays')}
        />
      </Card>
      <Card
        run={run}
        table="links"
        title={t('paths.links')}
        about={t('paths.linksAbout')}
        chart={
          <SumsPart run={run} table="links" asked={byLink} none={t('paths.noLinks')}>
            {(sums) => <Links sums={sums} />}
          </SumsPart>
        }
      >
        <ServerTable
          {...table}
          table="links"
          label={t('paths.links')}
          first={most}
          bars={['messages', 'share']}
          none={t('paths.noLinks')}
        />
      </Card>
      <Card run={run} table="loops" title={t('paths.loops')} about={t('paths.loopsAbout')}>
        <ServerTable
          {...table}
          table="loops"
          label={t('paths.loops')}
          first={{ column: 'times', isDescending: true }}
          none={t('paths.noLoops')}
        />
      </Card>
      <Routes run={run} />
      <Card run={run} table="copies" title={t('paths.copies')} about={t('paths.copiesAbout')}>
        <ServerTable
          {...table}
          table="copies"
          label={t('paths.copies')}
          first={{ column: 'imbalance', isDescending: true }}
          bars={['conversations', 'imbalance']}
          none={t('paths.noCopies')}
        />
      </Card>
    </>
  );
}

function Ways({ sums }: { sums: Sums }) {
  const { t } = useTranslation('analytics');
  const streams = useMemo(() => streamsOfWays(sums.rows), [sums]);
  const links = useMemo(() => linksOf(streams), [streams]);
  const staying = useMemo(() => sums.rows.filter((row) => !isOverNetwork(row)), [sums]);
  const stayed = staying.reduce((all, row) => all + countOf(row, 'messages'), 0);
  const drawn = streams.reduce((all, { figure }) => all + figure, 0);
  // Where not every way is told, some of those that are not may have stayed.
  const isWhole = sums.groups === sums.rows.length;
  const option = useMemo(() => {
    const named = (name: string) => (name === '?' ? t('paths.nobody') : name);
    return (theme: ChartTheme) => sankeyOption(links, named, theme);
  }, [links, t]);
  return (
    <>
      {links.links.length > 0 && <EChart label={t('paths.waysLabel')} option={option} height={sankeyHeight(links)} />}
      {isWhole && stayed > 0 && <p className={classes.quiet}>{t('paths.stayed', { count: stayed })}</p>}
      <RestNote
        rest={restOf(sums, {
          groups: streams.length + (isWhole ? staying.length : 0),
          figure: drawn + (isWhole ? stayed : 0),
        })}
        unit="messages"
      />
    </>
  );
}

function Links({ sums }: { sums: Sums }) {
  const { t } = useTranslation('analytics');
  const heat = useMemo(
    () =>
      heatOf(
        sums.rows.map((row) => ({
          down: textOf(row, 'instance'),
          across: textOf(row, 'address'),
          figure: countOf(row, 'share'),
          count: countOf(row, 'messages'),
        })),
      ),
    [sums],
  );
  const drawn = heat.cells.reduce((all, { count = 0 }) => all + count, 0);
  const option = useMemo(() => (theme: ChartTheme) => heatOption(heat, shareText, theme), [heat]);
  return (
    <>
      <EChart label={t('paths.linksLabel')} option={option} height={heatHeight(heat)} />
      <RestNote rest={restOf(sums, { groups: heat.cells.length, figure: drawn })} unit="messages" />
    </>
  );
}

const routeFilters = {
  all: [],
  unused: [{ column: 'is_unused', value: 'true' }],
  shadowed: [{ column: 'is_shadowed', value: 'true' }],
} as const;

function Routes({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const [which, setWhich] = useState<keyof typeof routeFilters>('unused');
  return (
    <Card run={run} table="routes" title={t('paths.routes')} about={t('paths.routesAbout')}>
      <ServerTable
        key={which}
        estate={estate}
        run={run.id}
        without={without}
        table="routes"
        label={t('paths.routes')}
        fixed={routeFilters[which]}
        bars={['won']}
        none={t(`paths.noRoutes.${which}`)}
        tools={
          <SegmentedControl
            size="xs"
            aria-label={t('paths.which.label')}
            data={(['unused', 'shadowed', 'all'] as const).map((value) => ({
              value,
              label: t(`paths.which.${value}`),
            }))}
            value={which}
            onChange={setWhich}
          />
        }
      />
    </Card>
  );
}
