// A figure for each pair of two things, as a field of squares: darker, or in the dark lighter, is more.
import type { HeatmapSeriesOption } from 'echarts/charts';
import type { GridComponentOption, TooltipComponentOption, VisualMapComponentOption } from 'echarts/components';
import type { ComposeOption } from 'echarts/core';

import { frame, type ChartTheme } from './theme';

export type HeatOption = ComposeOption<
  HeatmapSeriesOption | GridComponentOption | TooltipComponentOption | VisualMapComponentOption
>;

/** `count` is what its figure is about, where that is another one. */
export type HeatCell = { across: string; down: string; figure: number; count?: number };
export type Heat = { across: string[]; down: string[]; cells: HeatCell[] };

/** Lines and columns with the most of it; the others are in the table. */
export const heatMost = { across: 14, down: 24 } as const;
const cellHeight = 30;
const namesHeight = 92;

export function heatOf(cells: readonly HeatCell[], order: { across?: readonly string[] } = {}): Heat {
  const across = order.across ?? largest(cells, 'across').slice(0, heatMost.across);
  const down = largest(cells, 'down').slice(0, heatMost.down);
  return {
    across: [...across],
    down,
    cells: cells.filter((cell) => across.includes(cell.across) && down.includes(cell.down)),
  };
}

function largest(cells: readonly HeatCell[], way: 'across' | 'down'): string[] {
  const sums = new Map<string, number>();
  for (const cell of cells) {
    sums.set(cell[way], (sums.get(cell[way]) ?? 0) + cell.figure);
  }
  return [...sums].sort(([one, more], [other, less]) => less - more || one.localeCompare(other)).map(([name]) => name);
}

export function heatHeight({ down }: Heat): number {
  return namesHeight + down.length * cellHeight;
}

/** `text` words a figure. */
export function heatOption(heat: Heat, text: (figure: number) => string, theme: ChartTheme): HeatOption {
  const most = Math.max(0, ...heat.cells.map(({ figure }) => figure));
  const axis = {
    type: 'category' as const,
    axisLine: { show: false },
    axisTick: { show: false },
    splitArea: { show: false },
  };
  return {
    ...frame(theme),
    grid: { left: 8, right: 12, top: 8, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
    xAxis: {
      ...axis,
      data: heat.across,
      position: 'top',
      axisLabel: {
        color: theme.label,
        fontSize: 12,
        interval: 0,
        rotate: heat.across.length > 5 ? 24 : 0,
        width: 150,
        overflow: 'truncate',
      },
    },
    yAxis: {
      ...axis,
      data: heat.down,
      inverse: true,
      axisLabel: { color: theme.value, fontSize: 12, width: 190, overflow: 'truncate' },
    },
    visualMap: {
      show: false,
      min: 0,
      max: most === 0 ? 1 : most,
      inRange: { color: [...theme.scale] },
    },
    tooltip: {
      ...frame(theme).tooltip,
      formatter: (pointed) => {
        const cell = Array.isArray(pointed) ? undefined : heat.cells[pointed.dataIndex];
        return cell === undefined
          ? ''
          : `${escaped(cell.down)} → ${escaped(cell.across)}<br>${escaped(text(cell.figure))}`;
      },
    },
    series: [
      {
        type: 'heatmap',
        cursor: 'pointer',
        data: heat.cells.map(({ across, down, figure }) => ({
          value: [heat.across.indexOf(across), heat.down.indexOf(down), figure],
          label: {
            show: true,
            formatter: text(figure),
            color: theme.onScale[figure > most * 0.6 ? 1 : 0],
            fontSize: 12,
          },
        })),
        itemStyle: { borderColor: theme.surface, borderWidth: 2, borderRadius: 3 },
        emphasis: { itemStyle: { borderColor: theme.value, borderWidth: 2 } },
      },
    ],
  };
}

/** Names in tooltips are text, whatever is in them. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
