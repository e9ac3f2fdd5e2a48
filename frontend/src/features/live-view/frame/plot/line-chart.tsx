import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type uPlot from 'uplot';

import { numberText } from '@/i18n';
import { ageText } from '@/live/age';
import type { Unit } from '@/live/grid/counters';

import { drawn, pointAt } from './drawing';
import { figureText } from './figure-text';
import type { LineStyles } from './line-styles';
import classes from './plot.module.css';

/** What it is of, and what it was at each moment; null while that was not known. */
export type PlotLine = { name: string; figures: readonly (number | null)[] };

type Props = {
  name: string;
  unit: Unit;
  lines: readonly PlotLine[];
  /** Lines that are not drawn. */
  more: number;
  /** Seconds since 1970 of the moments. */
  at: readonly number[];
  styles: LineStyles;
  /** Whether names stand beside the values: where no legend of many charts has them. */
  isNamed?: boolean;
};

/**
 * The last minutes of something, a line for each that has it. The crosshair is that of all charts together; arrows move it for who has no pointer,
 * and what stands under it is told as the value of the chart.
 */
export function LineChart({ name: title, unit, lines, more, at, styles, isNamed = false }: Props) {
  const { t } = useTranslation('views');
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [place, setPlace] = useState<number | null>(null);
  const scheme = useComputedColorScheme('light');
  const names = lines.map(({ name }) => name);
  const structure = `${title} ${names.join(' ')} ${scheme}`;
  const data: uPlot.AlignedData = [[...at], ...lines.map(({ figures }) => [...figures])];
  useEffect(() => {
    const element = frame.current;
    if (element === null) {
      return undefined;
    }
    const looks = names.map((name) => styles.get(name) ?? { colour: 'currentColor', dash: [] });
    return drawn(element, {
      unit,
      styles: looks,
      data,
      onCursor: setPlace,
      onMade: (made) => {
        plot.current = made;
      },
    });
    // What is drawn is made anew with other lines or colours only; figures are put in below.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [structure]);
  useEffect(() => {
    plot.current?.setData(data);
    // `data` is made anew with every drawing, and is another one with another moment only.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [at]);
  const shown = place === null || place >= at.length ? at.length - 1 : place;
  const age = (at.at(-1) ?? 0) - (at[shown] ?? 0);
  const values = lines.map(({ name, figures }) => {
    const figure = figures[shown] ?? null;
    return { name, text: figure === null ? t('unknownCount') : figureText(figure, unit) };
  });
  const told = values.map(({ name, text }) => `${name} ${text}`).join(', ');
  return (
    <div className={classes.chart}>
      <h4 title={title}>{title}</h4>
      <p className={classes.values} title={told}>
        {place !== null && <span className={classes.quiet}>{t('counters.ago', { age: ageText(age) })} </span>}
        {values.map(({ name, text }) => (
          <span key={name} style={{ '--line': styles.get(name)?.colour }}>
            {isNamed ? `${name} ${text}` : text}
          </span>
        ))}
        {more > 0 && <span className={classes.quiet}>{t('counters.more', { count: numberText(more) })}</span>}
      </p>
      <div
        ref={frame}
        className={classes.plot}
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, at.length - 1)}
        aria-valuenow={Math.max(0, shown)}
        aria-valuetext={`${told} (${t('counters.ago', { age: ageText(age) })})`}
        onKeyDown={(event) => {
          moveCrosshair(event, plot.current, at, shown);
        }}
      />
    </div>
  );
}

/** Arrows go from moment to moment, Home and End to the first and the last, Escape lets go. */
function moveCrosshair(event: KeyboardEvent, plot: uPlot | null, at: readonly number[], shown: number): void {
  const places: Partial<Record<string, number>> = {
    ArrowLeft: shown - 1,
    ArrowRight: shown + 1,
    PageUp: shown - 30,
    PageDown: shown + 30,
    Home: 0,
    End: at.length - 1,
  };
  const wanted = places[event.key];
  if (plot === null || (wanted === undefined && event.key !== 'Escape')) {
    return;
  }
  event.preventDefault();
  const moment = wanted === undefined ? undefined : at[Math.max(0, Math.min(at.length - 1, wanted))];
  pointAt(plot, moment ?? null);
}
