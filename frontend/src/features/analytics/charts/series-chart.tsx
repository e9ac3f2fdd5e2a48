import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { numberText } from '@/i18n';
import { absoluteTime, useTimeZone, zoneName } from '@/lib/time';
import { series as colours } from '@/theme/tokens';

import classes from './charts.module.css';

export type Line = { name: string; figures: readonly (number | null)[]; isBar?: boolean };

type Props = {
  label: string;
  /** Seconds since 1970, in order. */
  at: readonly number[];
  lines: readonly Line[];
  text: (figure: number) => string;
  height?: number;
};

const dashes = [[], [6, 3], [2, 3]];
const group = 'analytics';
const hour = 3600;

/** Figures by hour, as lines or as bars; arrows move the crosshair, and what stands under it is told. */
export function SeriesChart({ label, at, lines, text, height = 170 }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [place, setPlace] = useState<number | null>(null);
  const scheme = useComputedColorScheme('light');
  const zone = useTimeZone((store) => zoneName(store.chosen));
  useEffect(() => {
    const element = frame.current;
    if (element === null || at.length === 0) {
      return undefined;
    }
    let made: uPlot | null = null;
    // Off the page nothing is drawn: there is no width to draw in.
    const seen = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true && made === null) {
        const data: uPlot.AlignedData = [[...at], ...lines.map(({ figures }) => [...figures])];
        made = new uPlot(optionsOf(element, { at, lines, text, height, zone, onCursor: setPlace }), data, element);
        plot.current = made;
      }
    });
    const sized = new ResizeObserver(() => {
      made?.setSize({ width: element.clientWidth, height });
    });
    seen.observe(element);
    sized.observe(element);
    return () => {
      seen.disconnect();
      sized.disconnect();
      made?.destroy();
      plot.current = null;
    };
    // Colours are read from the page: another scheme draws anew.
  }, [at, lines, text, height, zone, scheme]);
  const shown = place === null || place >= at.length ? at.length - 1 : place;
  const moment = at[shown];
  const when = moment === undefined ? '' : absoluteTime(moment * 1000);
  const values = lines.map(({ name, figures }) => {
    const figure = figures[shown] ?? null;
    return { name, text: figure === null ? '–' : text(figure) };
  });
  const told = [when, ...values.map((value) => `${value.name} ${value.text}`)].join(', ');
  return (
    <div>
      <p className={classes.values}>
        <span className={classes.quiet}>{when}</span>
        {values.map((value, index) => (
          <span key={value.name} style={{ '--line': colours[index] }}>
            {value.name} {value.text}
          </span>
        ))}
      </p>
      <div
        ref={frame}
        className={classes.plot}
        style={{ height }}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, at.length - 1)}
        aria-valuenow={Math.max(0, shown)}
        aria-valuetext={told}
        onKeyDown={(event) => {
          const wanted = moved(event.key, shown, at.length);
          if (wanted !== null) {
            event.preventDefault();
            setPlace(wanted);
            const left = plot.current?.valToPos(at[wanted] ?? 0, 'x') ?? -10;
            plot.current?.setCursor({ left, top: 0 });
          }
        }}
      />
    </div>
  );
}

/** Which hour a key leads to; null for other keys. */
export function moved(key: string, from: number, length: number): number | null {
  const places: Partial<Record<string, number>> = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    PageUp: from - 24,
    PageDown: from + 24,
    Home: 0,
    End: length - 1,
  };
  const wanted = places[key];
  return wanted === undefined ? null : Math.max(0, Math.min(length - 1, wanted));
}

type Drawn = Pick<Props, 'at' | 'lines' | 'text'> & {
  height: number;
  zone: string;
  onCursor: (place: number | null) => void;
};

function optionsOf(element: HTMLElement, { at, lines, text, height, zone, onCursor }: Drawn): uPlot.Options {
  const room = at.length === 1 ? hour : hour / 2;
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--bw-${name}`).trim();
  const axis = {
    stroke: colour('label'),
    font: `11px ${style.fontFamily}`,
    ticks: { show: false },
    grid: { stroke: colour('border'), width: 1 },
  };
  return {
    width: element.clientWidth,
    height,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
    legend: { show: false },
    cursor: { y: false, sync: { key: group }, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      // Of one hour alone the library would make months.
      x: { range: () => [(at[0] ?? 0) - room, (at.at(-1) ?? 0) + room] },
      y: { range: (_, min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.08] },
    },
    axes: [
      { ...axis, values: hourNames(zone) },
      { ...axis, size: 72, values: (_, splits) => splits.map((split) => text(split)) },
    ],
    series: [
      {},
      ...lines.map(({ isBar = false }, index) => ({
        stroke: colours[index] ?? colour('label'),
        width: isBar ? 0 : 1.75,
        dash: dashes[index % dashes.length] ?? [],
        spanGaps: false,
        points: { show: !isBar, size: 5 },
        ...(isBar && uPlot.paths.bars !== undefined
          ? { fill: colours[index] ?? colour('label'), paths: uPlot.paths.bars({ size: [0.8, 46] }) }
          : {}),
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

/** `14:00`, and the day where it begins. */
function hourNames(zone: string): (plot: uPlot, splits: number[]) => string[] {
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone });
  const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: zone });
  return (_, splits) => {
    let last = '';
    return splits.map((split) => {
      const at = new Date(split * 1000);
      const date = day.format(at);
      const isNew = date !== last;
      last = date;
      return isNew ? `${clock.format(at)}\n${date}` : clock.format(at);
    });
  };
}

export const plainNumber = (figure: number) => numberText(Math.round(figure));
