// Streams from step to step. A place that comes twice on a way is two nodes: the chart knows no circles.
import type { SankeySeriesOption } from 'echarts/charts';
import type { TooltipComponentOption } from 'echarts/components';
import type { ComposeOption } from 'echarts/core';

import { numberText } from '@/i18n';

import { isChange } from '../drill';
import type { Row } from './records';
import { countOf, textOf } from './records';
import { escaped } from './heat';
import { frame, type ChartTheme } from './theme';

export type SankeyOption = ComposeOption<SankeySeriesOption | TooltipComponentOption>;

export type Stream = { steps: readonly string[]; figure: number };

/** Streams that are drawn; the others are in the table. */
export const streamsMax = 40;
/** As `paths` joins the instances of a way. */
const step = ' > ';

export function isOverNetwork(row: Row): boolean {
  return textOf(row, 'way').includes(step);
}

/** Ways over the network, the most used first. What stays in its instance goes no way. */
export function streamsOfWays(rows: readonly Row[]): Stream[] {
  return rows
    .filter(isOverNetwork)
    .map((row) => ({ steps: textOf(row, 'way').split(step), figure: countOf(row, 'messages') }))
    .sort((one, other) => other.figure - one.figure)
    .slice(0, streamsMax);
}

/** What became of conversations, the most first: from their instance by the change to the service. Unchanged ones are left out. */
export function streamsOfChanges(rows: readonly Row[]): Stream[] {
  const sums = new Map<string, Stream>();
  for (const row of rows.filter((each) => textOf(each, 'change') !== 'unchanged')) {
    const steps = [textOf(row, 'instance'), textOf(row, 'change'), textOf(row, 'to_service')];
    const key = JSON.stringify(steps);
    sums.set(key, { steps, figure: (sums.get(key)?.figure ?? 0) + countOf(row, 'conversations') });
  }
  return [...sums.values()].sort((one, other) => other.figure - one.figure).slice(0, streamsMax);
}

/** A name at a step: what is at another step is another node. */
export function nodeId(name: string, place: number): string {
  return `${place} ${name}`;
}

/** The name and the step of a node. */
export function nodeOf(id: string): { name: string; place: number } {
  const cut = id.indexOf(' ');
  return { place: Number(id.slice(0, cut)), name: id.slice(cut + 1) };
}

export type Links = { nodes: string[]; links: { source: string; target: string; value: number }[] };

/** Streams that share a step are drawn together there. */
export function linksOf(streams: readonly Stream[]): Links {
  const nodes = new Set<string>();
  const links = new Map<string, Links['links'][number]>();
  for (const { steps, figure } of streams) {
    const ids = steps.map(nodeId);
    ids.forEach((id) => nodes.add(id));
    for (const [place, target] of ids.slice(1).entries()) {
      const source = ids[place] ?? '';
      const key = JSON.stringify([source, target]);
      links.set(key, { source, target, value: (links.get(key)?.value ?? 0) + figure });
    }
  }
  return { nodes: [...nodes], links: [...links.values()] };
}

export function sankeyHeight({ nodes }: Links): number {
  const steps = new Map<number, number>();
  for (const { place } of nodes.map(nodeOf)) {
    steps.set(place, (steps.get(place) ?? 0) + 1);
  }
  return Math.max(160, Math.min(640, 40 + 34 * Math.max(0, ...steps.values())));
}

/** `text` words a node; a node that is a change wears its colour. */
export function sankeyOption({ nodes, links }: Links, text: (name: string) => string, theme: ChartTheme): SankeyOption {
  const steps = Math.max(0, ...nodes.map((id) => nodeOf(id).place));
  return {
    ...frame(theme),
    tooltip: {
      ...frame(theme).tooltip,
      formatter: (pointed) => {
        const { name, value, data } = (Array.isArray(pointed) ? pointed[0] : pointed) ?? {
          name: '',
          value: 0,
          data: {},
        };
        const ends = data as { source?: string; target?: string };
        const words =
          ends.source === undefined || ends.target === undefined
            ? text(nodeOf(name).name)
            : `${text(nodeOf(ends.source).name)} → ${text(nodeOf(ends.target).name)}`;
        return `${escaped(words)}<br>${numberText(Number(value))}`;
      },
    },
    series: [
      {
        type: 'sankey',
        left: 8,
        right: 8,
        top: 12,
        bottom: 12,
        nodeWidth: 14,
        nodeGap: 12,
        draggable: false,
        emphasis: { focus: 'adjacency' },
        data: nodes.map((id) => {
          const { name, place } = nodeOf(id);
          return {
            name: id,
            depth: place,
            itemStyle: {
              color: isChange(name) ? theme.change[name] : (theme.series[0] ?? theme.label),
              borderWidth: 0,
            },
            label: {
              formatter: text(name),
              color: theme.value,
              fontSize: 12,
              textBorderColor: theme.surface,
              textBorderWidth: 3,
              position: place === steps ? ('left' as const) : ('right' as const),
            },
          };
        }),
        links: links.map((link) => ({ ...link })),
        lineStyle: { color: 'gradient', opacity: 0.32, curveness: 0.5 },
      },
    ],
  };
}
