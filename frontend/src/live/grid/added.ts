// Columns that a view makes of those that are told: figures that only this browser has, or parts of a nested value.
import type { Cell } from '@/contracts/live-messages';

import type { Table } from '../tables';
import { gridColumns, reader, type GridColumn, type GridRow, type Read } from './rows';

export type AddedColumn = { name: string; type: string; isVendors: boolean };

export type Added = {
  /** The same list as long as they are the same columns. */
  columns: readonly AddedColumn[];
  /** Their cells in a row; with the same answer for the same row. */
  cells: (row: GridRow, read: Read) => readonly Cell[];
};

export function columnsWith(
  added: readonly AddedColumn[] | undefined,
  told: readonly GridColumn[],
): readonly GridColumn[] {
  if (added === undefined) {
    return told;
  }
  return [...told, ...added.map((column, place) => ({ ...column, id: column.name, at: told.length + place }))];
}

const madeBy = new WeakMap<Added, WeakMap<GridRow, GridRow>>();

/** Rows with the cells that are added; a row that has not changed stays the same object. */
export function rowsWith(added: Added | undefined, rows: GridRow[], columns: Table['columns']): GridRow[] {
  if (added === undefined) {
    return rows;
  }
  const read = reader(gridColumns({ columns, keys: [], rows: [], facts: {} }));
  const made = madeBy.get(added) ?? new WeakMap<GridRow, GridRow>();
  madeBy.set(added, made);
  return rows.map((row) => {
    const known = made.get(row) ?? { ...row, cells: [...row.cells, ...added.cells(row, read)] };
    made.set(row, known);
    return known;
  });
}
