// By which column a table is sorted: `instance`, or `-instance` for the other way round.
import type { ChangedRow, TableAnswer } from '@/contracts/api';

export type Sorting = { column: string; isDescending: boolean };
type Cell = string | number | boolean | null;

export function parseSorting(text: string | null): Sorting | null {
  const isDescending = text?.startsWith('-') ?? false;
  const column = isDescending ? text?.slice(1) : text;
  return column ? { column, isDescending } : null;
}

export function formatSorting(sorting: Sorting | null): string | null {
  return sorting === null ? null : `${sorting.isDescending ? '-' : ''}${sorting.column}`;
}

/** The next of what a head that is pressed goes through: upwards, downwards, as the answer has it. */
export function nextSorting(sorting: Sorting | null, column: string): Sorting | null {
  if (sorting?.column !== column) {
    return { column, isDescending: false };
  }
  return sorting.isDescending ? null : { column, isDescending: true };
}

/** A whole answer in another order; of large ones the server does the same. What is empty stands last. */
export function sorted(answer: TableAnswer, sorting: Sorting | null): TableAnswer {
  if (sorting === null) {
    return answer;
  }
  const at = answer.columns.findIndex(({ name }) => name === sorting.column);
  const ofChange = (row: ChangedRow) => (at < 0 ? row.change : ((row.after ?? row.before)?.[at] ?? null));
  return {
    ...answer,
    rows: inOrder(answer.rows, (row) => row[at] ?? null, sorting),
    changes: inOrder(answer.changes, ofChange, sorting),
  };
}

function inOrder<Row>(rows: readonly Row[], cell: (row: Row) => Cell, { isDescending }: Sorting): Row[] {
  const full = rows.filter((row) => cell(row) !== null);
  const empty = rows.filter((row) => cell(row) === null);
  const way = isDescending ? -1 : 1;
  return [...full.sort((one, other) => way * compare(cell(one), cell(other))), ...empty];
}

function compare(one: Cell, other: Cell): number {
  return typeof one === 'string' || typeof other === 'string'
    ? String(one).localeCompare(String(other))
    : Number(one) - Number(other);
}
