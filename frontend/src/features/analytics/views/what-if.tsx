import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import type { Run } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { numberText } from '@/i18n';

import { BarsChart } from '../charts/bars-chart';
import { EChart } from '../charts/echart';
import { Card } from '../components/card';
import { RestNote } from '../components/rest-note';
import { ServerTable } from '../components/server-table';
import { SumsPart } from '../components/sums-part';
import { changes, isChange, type Drill } from '../drill';
import { heatHeight, heatOption } from '../options/heat';
import { linksOf, nodeOf, sankeyHeight, sankeyOption, streamsMax, streamsOfChanges } from '../options/sankey';
import { restOf, type Sums } from '../options/sums';
import { changeColours, type ChartTheme } from '../options/theme';
import { changeCounts, databaseHeat } from '../options/what-if';
import classes from './views.module.css';

const without = [{ column: 'change', value: 'unchanged' }] as const;
const of = ['conversations'] as const;
const byChange = { by: ['change'], of: ['conversations', 'flows'], limit: 100 } as const;
const byDatabase = { by: ['instance', 'database', 'change'], of, limit: 1_000, without } as const;
const byStream = { by: ['instance', 'change', 'to_service'], of, limit: streamsMax, without } as const;

type Props = { run: Run; onDrill: (drill: Drill) => void };

/** What becomes of conversations: lost, moved, gained or as before, by database and by where they would go. */
export function WhatIfView({ run, onDrill }: Props) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const drillRow = (row: Readonly<Record<string, unknown>>) => {
    if (isChange(row.change)) {
      const named = (['instance', 'database', 'service', 'to_service'] as const).flatMap((part) => {
        const value = row[part];
        return typeof value === 'string' ? [[part, value] as const] : [];
      });
      onDrill({ change: row.change, ...Object.fromEntries(named) });
    }
  };
  const table = (
    <ServerTable
      estate={estate}
      run={run.id}
      table="changes"
      label={t('changes.table')}
      first={{ column: 'conversations', isDescending: true }}
      bars={['conversations']}
      none={t('changes.none')}
      onRow={drillRow}
    />
  );
  return (
    <>
      <Card
        run={run}
        table="changes"
        title={t('changes.classes')}
        about={t('changes.classesAbout')}
        chart={
          <SumsPart run={run} table="changes" asked={byChange} none={t('changes.none')}>
            {(sums) => <Classes sums={sums} onDrill={onDrill} />}
          </SumsPart>
        }
      >
        {table}
      </Card>
      <div className={classes.pair}>
        <Card
          run={run}
          table="changes"
          title={t('changes.databases')}
          about={t('changes.databasesAbout')}
          chart={
            <SumsPart run={run} table="changes" asked={byDatabase} none={t('changes.nothingChanges')}>
              {(sums) => <Databases sums={sums} onDrill={onDrill} />}
            </SumsPart>
          }
        >
          {table}
        </Card>
        <Card
          run={run}
          table="changes"
          title={t('changes.streams')}
          about={t('changes.streamsAbout')}
          chart={
            <SumsPart run={run} table="changes" asked={byStream} none={t('changes.nothingChanges')}>
              {(sums) => <Streams sums={sums} onDrill={onDrill} />}
            </SumsPart>
          }
        >
          {table}
        </Card>
      </div>
    </>
  );
}

const drawnIn = (parts: readonly { figure: number }[]) => parts.reduce((all, { figure }) => all + figure, 0);

type ChartProps = { sums: Sums; onDrill: (drill: Drill) => void };

function Classes({ sums, onDrill }: ChartProps) {
  const { t } = useTranslation(['analytics', 'whatif']);
  const counts = useMemo(() => changeCounts(sums.rows), [sums]);
  const sets = useMemo(() => [t('column.conversations'), t('column.flows')], [t]);
  const texts = useMemo(
    () =>
      (['conversations', 'flows'] as const).map(
        (unit) => (count: number) => t(`analytics:chart.counted.${unit}`, { count }),
      ),
    [t],
  );
  const bars = useMemo(
    () =>
      counts.map(({ change, conversations, flows }) => ({
        name: t(`whatif:change.${change}.word`),
        figures: [conversations, flows],
        colour: changeColours[change],
      })),
    [counts, t],
  );
  const all = counts.reduce((sum, { conversations }) => sum + conversations, 0);
  const changed = counts.reduce(
    (sum, { change, conversations }) => sum + (change === 'unchanged' ? 0 : conversations),
    0,
  );
  return (
    <>
      <p className={classes.sentence}>{t('changes.sentence', { changed, all })}</p>
      <BarsChart
        label={t('changes.classesLabel')}
        bars={bars}
        sets={sets}
        texts={texts}
        onPick={({ dataIndex }) => {
          const change = changes[dataIndex];
          if (change !== undefined) {
            onDrill({ change });
          }
        }}
      />
      {/* The same as a click on a bar. */}
      <div className={classes.picks}>
        {counts
          .filter(({ conversations }) => conversations > 0)
          .map(({ change }) => (
            <Button
              key={change}
              variant="default"
              size="compact-sm"
              onClick={() => {
                onDrill({ change });
              }}
            >
              {t('drill.samplesOf', { change: t(`whatif:change.${change}.word`) })}
            </Button>
          ))}
      </div>
    </>
  );
}

function Databases({ sums, onDrill }: ChartProps) {
  const { t } = useTranslation(['analytics', 'whatif']);
  const heat = useMemo(() => databaseHeat(sums.rows), [sums]);
  const option = useMemo(() => {
    const named = (change: string) => (isChange(change) ? t(`whatif:change.${change}.word`) : change);
    const worded = {
      ...heat,
      across: heat.across.map(named),
      cells: heat.cells.map((cell) => ({ ...cell, across: named(cell.across) })),
    };
    return (theme: ChartTheme) => heatOption(worded, numberText, theme);
  }, [heat, t]);
  return (
    <>
      <EChart
        label={t('changes.databasesLabel')}
        option={option}
        height={heatHeight(heat)}
        onPick={({ dataIndex }) => {
          const cell = heat.cells[dataIndex];
          const place = cell === undefined ? undefined : heat.places.get(cell.down);
          if (cell !== undefined && place !== undefined && isChange(cell.across)) {
            onDrill({ change: cell.across, ...place });
          }
        }}
      />
      <RestNote rest={restOf(sums, { groups: heat.cells.length, figure: drawnIn(heat.cells) })} unit="conversations" />
    </>
  );
}

function Streams({ sums, onDrill }: ChartProps) {
  const { t } = useTranslation(['analytics', 'whatif']);
  const streams = useMemo(() => streamsOfChanges(sums.rows), [sums]);
  const links = useMemo(() => linksOf(streams), [streams]);
  const option = useMemo(() => {
    const named = (name: string) => (isChange(name) ? t(`whatif:change.${name}.word`) : name);
    return (theme: ChartTheme) => sankeyOption(links, named, theme);
  }, [links, t]);
  return (
    <>
      <EChart
        label={t('changes.streamsLabel')}
        option={option}
        height={sankeyHeight(links)}
        onPick={({ dataType, data, name }) => {
          const drill = dataType === 'edge' ? drillOfLink(data) : drillOfNode(name);
          if (drill !== null) {
            onDrill(drill);
          }
        }}
      />
      <RestNote rest={restOf(sums, { groups: streams.length, figure: drawnIn(streams) })} unit="conversations" />
    </>
  );
}

/** From an instance to a change, or from a change to a service. */
export function drillOfLink(data: unknown): Drill | null {
  const { source, target } = data as { source?: unknown; target?: unknown };
  if (typeof source !== 'string' || typeof target !== 'string') {
    return null;
  }
  const [from, to] = [nodeOf(source), nodeOf(target)];
  if (from.place === 0 && isChange(to.name)) {
    return { change: to.name, instance: from.name };
  }
  return isChange(from.name) ? { change: from.name, to_service: to.name } : null;
}

function drillOfNode(id: string): Drill | null {
  const { name, place } = nodeOf(id);
  return place === 1 && isChange(name) ? { change: name } : null;
}
