// A topic as a value, and how what is told of it is folded in: by the same rules as on the server
// (brokerweb/live/tables.py), held to them by the stories in tests/brokerweb/live_fixtures.
import type { Cell, Column, Ops, SnapshotMessage } from '@/contracts/live-messages';

export type Cells = readonly Cell[];

/** Keys and rows stand in the same order. */
export type Table = {
  columns: readonly Column[];
  keys: readonly string[];
  rows: readonly Cells[];
  facts: Readonly<Record<string, unknown>>;
};

export const emptyTable: Table = { columns: [], keys: [], rows: [], facts: {} };

export function tableOf({ columns, keys, rows, facts }: Pick<SnapshotMessage, keyof Table>): Table {
  return { columns, keys, rows, facts };
}

/** The table to which `ops` lead. Rows that do not change stay the same objects, and so does a table without changes. */
export function fold(before: Table, ops: Ops): Table {
  if (Object.keys(ops).length === 0) {
    return before;
  }
  const changed = withCells(before.rows, ops.cells ?? []);
  const leaving = new Set(ops.gone ?? []);
  const keys = before.keys.filter((_, place) => !leaving.has(place));
  const rows = changed.filter((_, place) => !leaving.has(place));
  const coming = ops.rows ?? [];
  const [allKeys, allRows] =
    coming.length === 0
      ? [keys, rows]
      : [putIn(keys, coming, ([, key]) => key), putIn(rows, coming, ([, , ...cells]) => cells)];
  const order = ops.order ?? [];
  return {
    columns: before.columns,
    keys: order.length === 0 ? allKeys : moved(allKeys, order),
    rows: order.length === 0 ? allRows : moved(allRows, order),
    facts: withFacts(before.facts, ops),
  };
}

function withCells(rows: readonly Cells[], cells: NonNullable<Ops['cells']>): Cells[] {
  const after = [...rows];
  for (const [place, ...changes] of cells) {
    const values = [...(after[place] ?? [])];
    for (let at = 0; at < changes.length; at += 2) {
      values[changes[at] as number] = changes[at + 1];
    }
    after[place] = values;
  }
  return after;
}

type Coming = NonNullable<Ops['rows']>;

/** Each of those that come is put in where it will stand; places ascend. */
function putIn<Value>(staying: readonly Value[], coming: Coming, valueOf: (row: Coming[number]) => Value): Value[] {
  const after: Value[] = [];
  let next = 0;
  for (const row of coming) {
    const before = row[0] - after.length;
    after.push(...staying.slice(next, next + before), valueOf(row));
    next += before;
  }
  return [...after, ...staying.slice(next)];
}

function moved<Value>(values: readonly Value[], order: readonly number[]): Value[] {
  return order.map((place) => values[place] as Value);
}

function withFacts(before: Table['facts'], { facts, lost }: Ops): Table['facts'] {
  if (facts === undefined && lost === undefined) {
    return before;
  }
  const kept = Object.entries(before).filter(([name]) => lost?.includes(name) !== true);
  return { ...Object.fromEntries(kept), ...facts };
}

/** How many single changes these are: what streams are numbered by. */
export function countOf({ cells = [], gone = [], rows = [], order = [], facts = {}, lost = [] }: Ops): number {
  const changed = cells.reduce((sum, cell) => sum + (cell.length - 1) / 2, 0);
  return changed + gone.length + rows.length + (order.length > 0 ? 1 : 0) + Object.keys(facts).length + lost.length;
}

/** The rows as objects, cells under the names of their columns. */
export function recordsOf(table: Table): Record<string, Cell>[] {
  return table.rows.map((cells) => Object.fromEntries(table.columns.map(({ name }, at) => [name, cells[at]])));
}
