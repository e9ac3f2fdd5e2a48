// Sums over whole tables, which the server makes; a chart shows the largest groups of them, and says what it does not.
import type { TableSums } from '../api/types';
import { records, type Row } from './records';

export type Sums = {
  /** The largest groups. */
  rows: Row[];
  /** How many groups there are, also those that are not told. */
  groups: number;
  /** Of all groups, for each column that was added up. */
  sums: number[];
};

export type Rest = { groups: number; figure: number };

export function sumsOf({ columns, rows, total_groups: groups, sums }: TableSums): Sums {
  return { rows: records({ columns, rows }), groups, sums: sums.map(Number) };
}

/** What is not drawn, of all that there is. */
export function restOf({ groups, sums }: Sums, drawn: Rest): Rest {
  return { groups: groups - drawn.groups, figure: Math.max(0, (sums[0] ?? 0) - drawn.figure) };
}
