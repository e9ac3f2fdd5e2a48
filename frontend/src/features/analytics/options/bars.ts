// Bars that lie, a line for each thing, with the figure at their end.
import type { BarSeriesOption } from 'echarts/charts';
import type { GridComponentOption, TooltipComponentOption } from 'echarts/components';
import type { ComposeOption } from 'echarts/core';

import { numberText } from '@/i18n';

import { frame, type ChartTheme } from './theme';

export type BarsOption = ComposeOption<BarSeriesOption | GridComponentOption | TooltipComponentOption>;

export type Bar = { name: string; figures: readonly number[]; colour?: string };

export const barHeight = 30;
/** Of a colour, as its last two digits. */
const half = '80';
const gridEdge = 8;

/** Pixels that so many lines need. */
export function barsHeight(bars: number, sets: number): number {
  return 2 * gridEdge + bars * (barHeight + (sets - 1) * 16);
}

/** Where counts differ by more than so many times, three that are lost of two million are to be seen. */
const farApart = 200;

export function isFarApart(bars: readonly Bar[]): boolean {
  const figures = bars.flatMap((bar) => bar.figures).filter((figure) => figure > 0);
  return figures.length > 1 && Math.max(...figures) / Math.min(...figures) > farApart;
}

/**
 * `sets` names what each bar of a line counts, `texts` words a figure of it, number and unit. The length of a bar is its figure or, far apart, the logarithm of it; what
 * is written at its end is the figure in any case.
 */
export function barsOption(
  bars: readonly Bar[],
  sets: readonly string[],
  theme: ChartTheme,
  texts: readonly ((figure: number) => string)[] = [],
): BarsOption {
  const lengthOf = isFarApart(bars) ? (figure: number) => Math.log10(1 + figure) : (figure: number) => figure;
  const isNamed = texts.length > 1;
  const textOf = (place: number) => texts[place] ?? numberText;
  return {
    ...frame(theme),
    grid: {
      left: 8,
      right: isNamed ? 160 : 76,
      top: gridEdge,
      bottom: gridEdge,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    },
    xAxis: { type: 'value', min: 0, show: false },
    yAxis: {
      type: 'category',
      inverse: true,
      data: bars.map(({ name }) => name),
      axisLine: { lineStyle: { color: theme.border } },
      axisTick: { show: false },
      axisLabel: { color: theme.value, fontSize: 12, width: 240, overflow: 'truncate' },
    },
    tooltip: { show: false },
    series: sets.map((set, place) => ({
      type: 'bar' as const,
      name: set,
      barMaxWidth: 20,
      barGap: '15%',
      cursor: 'pointer',
      data: bars.map(({ figures, colour }) => {
        const figure = figures[place] ?? 0;
        return {
          value: lengthOf(figure),
          label: { formatter: textOf(place)(figure) },
          itemStyle: { color: `${colour ?? theme.series[0] ?? theme.label}${place > 0 ? half : ''}`, borderRadius: 2 },
        };
      }),
      label: { show: true, position: 'right' as const, color: theme.value, fontSize: 12 },
    })),
  };
}
