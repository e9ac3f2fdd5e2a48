// Who reads a table keeps their place: what comes and goes never moves a row under the eyes.
import type { GridRow } from './rows';

export type Shown = {
  rows: readonly GridRow[];
  /** Keys of rows that are shown and are no more. */
  left: ReadonlySet<string>;
  /** How many rows there are that are not shown. */
  waiting: number;
};

/** Rows that come behind the last are shown up to here; a table that is read for hours does not grow for ever. */
export const readRowsMax = 2000;

const nobody: ReadonlySet<string> = new Set();

/** Rows where they belong, for who does not read yet. */
export function flowing(rows: readonly GridRow[]): Shown {
  return { rows, left: nobody, waiting: 0 };
}

/**
 * What to show of `current` to who reads what was shown before: rows that are there stay where they are, with their
 * newest values; what has left stays, marked; what is new waits, but for what belongs behind the last.
 */
export function keepPlaces(before: Shown, current: readonly GridRow[]): Shown {
  if (before.rows.length === 0) {
    // Nobody has a place in an empty table.
    return flowing(current);
  }
  const shown = new Set(before.rows.map(({ key }) => key));
  const now = new Map(current.map((row) => [row.key, row]));
  const kept = before.rows.map((row) => now.get(row.key) ?? row);
  const lastShown = current.findLastIndex(({ key }) => shown.has(key));
  // With none of them left there is no end to put new ones behind.
  const behind =
    lastShown < 0 ? [] : current.slice(lastShown + 1, lastShown + 1 + Math.max(0, readRowsMax - kept.length));
  return {
    rows: [...kept, ...behind],
    left: new Set(before.rows.filter(({ key }) => !now.has(key)).map(({ key }) => key)),
    waiting: countNew(before.rows, current) - behind.length,
  };
}

/** How many of `current` are not among those of `before`. */
export function countNew(before: readonly GridRow[], current: readonly GridRow[]): number {
  const known = new Set(before.map(({ key }) => key));
  return current.reduce((sum, { key }) => sum + (known.has(key) ? 0 : 1), 0);
}
