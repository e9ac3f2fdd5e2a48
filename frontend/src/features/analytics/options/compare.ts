// Two tables of the same columns, row by row.
import { i18n } from '@/i18n';

import { figureOf, textOf, type Row } from './records';

export type Pair = { was: number | null; is: number | null };
export type ComparedRow = { key: string; names: string[]; figures: Pair[] };

/** The rows that were read of a table, its largest, and how many it has. */
export type Part = { rows: readonly Row[]; total: number };

const isWhole = ({ rows, total }: Part) => rows.length >= total;

/**
 * Rows of either table, those of the first in its order, then what only the second has. Of a table that was not read
 * whole nobody knows that it has not a row: one that only the other has is left out then.
 */
export function comparedRows(
  { before, after }: { before: Part; after: Part },
  keys: readonly string[],
  figures: readonly string[],
): ComparedRow[] {
  const keyOf = (row: Row) => JSON.stringify(keys.map((name) => textOf(row, name)));
  const [old, recent] = [
    new Map(before.rows.map((row) => [keyOf(row), row])),
    new Map(after.rows.map((row) => [keyOf(row), row])),
  ];
  const known = [...new Set([...old.keys(), ...recent.keys()])].filter(
    (key) => (old.has(key) || isWhole(before)) && (recent.has(key) || isWhole(after)),
  );
  return known.map((key) => {
    const [one, other] = [old.get(key), recent.get(key)];
    const row = one ?? other ?? {};
    return {
      key,
      names: keys.map((name) => textOf(row, name)),
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
