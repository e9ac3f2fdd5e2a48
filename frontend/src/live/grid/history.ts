// The last minutes of figures, kept in this browser: they begin anew with the page.

/** Moments that are kept: five minutes at one a second. */
export const momentsMax = 300;

/**
 * Seconds since 1970 of each moment, and of each figure, by what it is of, what it was then; null while it was
 * not known.
 */
export type History = { at: readonly number[]; values: ReadonlyMap<string, readonly (number | null)[]> };

export const noHistory: History = { at: [], values: new Map() };

/** Adds a moment and lets the oldest go; a moment without values is one at which nothing was known. */
export function withMoment(before: History, at: number, values: ReadonlyMap<string, number | null>): History {
  const last = before.at.at(-1);
  if (last !== undefined && at <= last) {
    return before;
  }
  const from = Math.max(0, before.at.length + 1 - momentsMax);
  const kept = before.at.length - from;
  const after = new Map<string, readonly (number | null)[]>();
  for (const key of new Set([...before.values.keys(), ...values.keys()])) {
    const known = before.values.get(key)?.slice(from) ?? Array.from({ length: kept }, () => null);
    const next = [...known, values.get(key) ?? null];
    if (next.some((value) => value !== null)) {
      after.set(key, next);
    }
  }
  return { at: [...before.at.slice(from), at], values: after };
}

/** Lines that can be told apart in a chart. */
export const linesMax = 8;

/** Those that are highest now, in their order, where there are more than can be told apart. */
export function highest<Line extends { figures: readonly (number | null)[] }>(lines: readonly Line[]): readonly Line[] {
  if (lines.length <= linesMax) {
    return lines;
  }
  const now = ({ figures }: Line) => figures.at(-1) ?? 0;
  const chosen = new Set(lines.toSorted((one, other) => now(other) - now(one)).slice(0, linesMax));
  return lines.filter((line) => chosen.has(line));
}
