import type { Chart, Counter } from '@/live/grid/counters';
import { series } from '@/theme/tokens';

export type LineStyle = { colour: string; dash: number[] };

const dashes = [[], [6, 3], [2, 3]];

/** Whose line it is: the instance, or, of counters of each database, the database. */
export function lineName({ instance, of }: Counter): string {
  return of === '' || of === '_Total' ? instance : of;
}

/** One look for each name in all charts; where colours come to an end, lines are broken. */
export function lineColours(charts: readonly Chart[]): ReadonlyMap<string, LineStyle> {
  const names = [...new Set(charts.flatMap(({ lines }) => lines.map(({ counter }) => lineName(counter))))];
  return new Map(
    names.map((name, place) => [
      name,
      {
        colour: series[place % series.length] ?? '',
        dash: dashes[Math.floor(place / series.length) % dashes.length] ?? [],
      },
    ]),
  );
}
