// Two tables of the same columns, row by row.
import { i18n } from '@/i18n';

import { figureOf, textOf, type Row } from './records';

export type Pair = { was: number | null; is: number | null };
export type ComparedRow = { key: string; names: string[]; figures: Pair[] };

/** Rows of either table, those of the first in its order, then what only the second has. */
export function comparedRows(
  before: readonly Row[],
  after: readonly Row[],
  keys: readonly string[],
  figures: readonly string[],
): ComparedRow[] {
  const keyOf = (row: Row) => JSON.stringify(keys.map((name) => textOf(row, name)));
  const [old, recent] = [
    new Map(before.map((row) => [keyOf(row), row])),
    new Map(after.map((row) => [keyOf(row), row])),
  ];
  return [...new Set([...old.keys(), ...recent.keys()])].map((key) => {
    const [one, other] = [old.get(key), recent.get(key)];
    const known = one ?? other ?? {};
    return {
      key,
      names: keys.map((name) => textOf(known, name)),
      figures: figures.map((name) => ({
        was: one === undefined ? null : figureOf(one, name),
        is: other === undefined ? null : figureOf(other, name),
      })),
    };
  });
}

/** `+12 %`; nothing where there is nothing to compare with. */
export function differenceText(was: number | null, is: number | null): string {
  return was === null || is === null || was === 0
    ? ''
    : ((is - was) / Math.abs(was)).toLocaleString(i18n.language, {
        style: 'percent',
        maximumFractionDigits: 1,
        signDisplay: 'exceptZero',
      });
}
