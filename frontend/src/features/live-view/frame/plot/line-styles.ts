import { series } from '@/theme/tokens';

export type LineStyle = { colour: string; dash: number[] };
export type LineStyles = ReadonlyMap<string, LineStyle>;

const dashes = [[], [6, 3], [2, 3]];

/** One look for each name, in all charts of a page; where colours come to an end, lines are broken. */
export function lineStyles(names: readonly string[]): LineStyles {
  return new Map(
    [...new Set(names)].map((name, place) => [
      name,
      {
        colour: series[place % series.length] ?? '',
        dash: dashes[Math.floor(place / series.length) % dashes.length] ?? [],
      },
    ]),
  );
}
