// Charts as uPlot draws them: only those in view, in the colours of the theme, with one crosshair for all.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { i18n } from '@/i18n';
import type { Unit } from '@/live/grid/counters';
import { momentsMax } from '@/live/grid/history';

import { figureText } from './figure-text';
import type { LineStyle } from './line-styles';

const height = 92;
const axisWidth = 62;
const firstSeconds = 60;
const crosshair = 'plots';

type Wanted = {
  unit: Unit;
  styles: readonly LineStyle[];
  data: uPlot.AlignedData;
  /** The place that the crosshair is at; null when there is none. */
  onCursor: (place: number | null) => void;
  onMade: (plot: uPlot | null) => void;
};

/** Draws a chart while its element is in view; answers what takes it away. */
export function drawn(element: HTMLElement, wanted: Wanted): () => void {
  let plot: uPlot | null = null;
  const seen = new IntersectionObserver(([entry]) => {
    if (entry?.isIntersecting === true && plot === null) {
      plot = new uPlot(optionsOf(element, wanted), wanted.data, element);
      wanted.onMade(plot);
    }
  });
  const sized = new ResizeObserver(() => {
    plot?.setSize({ width: element.clientWidth, height });
  });
  seen.observe(element);
  sized.observe(element);
  return () => {
    seen.disconnect();
    sized.disconnect();
    plot?.destroy();
    wanted.onMade(null);
  };
}

/** As the library has it; its types leave out the last argument, without which the other charts are not told. */
type Pointed = { setCursor: (at: { left: number; top: number }, fires: boolean, tells: boolean) => void };

/** Puts the crosshair of all charts at a moment, or, with null, nowhere. */
export function pointAt(plot: uPlot, moment: number | null): void {
  const pointed = plot as Pointed;
  pointed.setCursor(
    moment === null ? { left: -10, top: -10 } : { left: plot.valToPos(moment, 'x'), top: 0 },
    true,
    true,
  );
}

function optionsOf(element: HTMLElement, { unit, styles, onCursor }: Wanted): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--bw-${name}`).trim();
  const font = `11px ${style.fontFamily}`;
  const axis = { stroke: colour('label'), font, ticks: { show: false }, grid: { stroke: colour('border'), width: 1 } };
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    // The last moment's name stands centred at the right edge.
    padding: [6, Math.ceil(widthOf(agoText(0), font) / 2), 0, 0],
    cursor: { y: false, sync: { key: crosshair }, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: { range: (_, min, max) => [max - lengthOf(min, max), max] },
      y: { range: (_, __, max) => [0, max <= 0 ? 1 : max * 1.1] },
    },
    axes: [
      {
        ...axis,
        size: 20,
        splits: (_, __, min, max) => [max - (max - min) * 0.8, max - (max - min) * 0.4, max],
        values: (_, splits) => splits.map((split) => agoText(Math.max(...splits) - split)),
      },
      { ...axis, size: axisWidth, space: 30, values: (_, splits) => splits.map((split) => figureText(split, unit)) },
    ],
    series: [
      {},
      ...styles.map(({ colour: stroke, dash }) => ({
        stroke,
        dash,
        width: 1.5,
        points: { show: false },
        spanGaps: false,
      })),
    ],
    hooks: {
      setCursor: [
        ({ cursor }) => {
          onCursor((cursor.left ?? -1) < 0 ? null : (cursor.idx ?? null));
        },
      ],
    },
  };
}

function widthOf(text: string, font: string): number {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) {
    return 0;
  }
  context.font = font;
  return context.measureText(text).width;
}

/** A minute or, when there is more, five: a line that begins is seen, and does not shrink with every moment. */
function lengthOf(min: number, max: number): number {
  return max - min < firstSeconds ? firstSeconds : momentsMax;
}

function agoText(seconds: number): string {
  const isMinutes = seconds >= 60;
  const amount = Math.round(isMinutes ? seconds / 60 : seconds);
  return amount === 0
    ? i18n.t('views:counters.now')
    : amount.toLocaleString(i18n.language, {
        style: 'unit',
        unit: isMinutes ? 'minute' : 'second',
        unitDisplay: 'short',
      });
}
