// A topic's table as a grid shows it: columns with an id of their own, rows with a key and the instance they come from.
import type { Cell } from '@/contracts/live-messages';

import type { Cells, Table } from '../tables';
import type { Half } from './pairs';

export type GridColumn = {
  /** Unique in its grid: the name, but for a vendor's column that is called as ours, `instance_name/vendor`. */
  id: string;
  name: string;
  /** SQL type with its length; `json` for a nested value. */
  type: string;
  isVendors: boolean;
  /** Which cell of a row. */
  at: number;
};

export type GridRow = {
  key: string;
  instance: string;
  cells: Cells;
  /** Stands for the other side of a conversation, of which nobody can tell; it cannot be selected, copied or opened. */
  half?: Half;
};

/** What a cell of a row is, by the id of its column; undefined when there is no such column. */
export type Read = (row: GridRow, id: string) => Cell;

const columnsOf = new WeakMap<Table['columns'], readonly GridColumn[]>();

export function gridColumns({ columns }: Table): readonly GridColumn[] {
  let made = columnsOf.get(columns);
  if (made === undefined) {
    const ours = new Set(columns.filter((column) => !column.is_vendors).map(({ name }) => name));
    made = columns.map(({ name, type, is_vendors: isVendors }, at) => ({
      id: isVendors && ours.has(name) ? `${name}/vendor` : name,
      name,
      type,
      isVendors,
      at,
    }));
    columnsOf.set(columns, made);
  }
  return made;
}

const rowOf = new WeakMap<Cells, GridRow>();

/** A row that has not changed stays the same object, so that nothing of it is drawn again. */
export function gridRows(table: Table): GridRow[] {
  const instanceAt = table.columns.findIndex(
    ({ name, is_vendors: isVendors }) => name === 'instance_name' && !isVendors,
  );
  return table.rows.map((cells, place) => {
    const key = table.keys[place] ?? String(place);
    let row = rowOf.get(cells);
    if (row?.key !== key) {
      const instance = cells[instanceAt];
      row = { key, instance: typeof instance === 'string' ? instance : '', cells };
      rowOf.set(cells, row);
    }
    return row;
  });
}

export function reader(columns: readonly GridColumn[]): Read {
  const places = new Map(columns.map(({ id, at }) => [id, at]));
  return (row, id) => row.cells[places.get(id) ?? -1];
}

export type Sorting = { id: string; isDescending: boolean };

/** `state` and `-state`, as the address holds it. */
export function parseSorting(text: string | null): Sorting | null {
  if (text === null || text === '' || text === '-') {
    return null;
  }
  return text.startsWith('-') ? { id: text.slice(1), isDescending: true } : { id: text, isDescending: false };
}

export function sortingText({ id, isDescending }: Sorting): string {
  return isDescending ? `-${id}` : id;
}

/** Rows by one column; NULL first as in SQL Server, equal ones in the order in which they came. */
export function sorted(
  rows: readonly GridRow[],
  columns: readonly GridColumn[],
  sorting: Sorting | null,
  language: string,
): readonly GridRow[] {
  const column = columns.find(({ id }) => id === sorting?.id);
  if (column === undefined || sorting === null) {
    return rows;
  }
  const words = new Intl.Collator(language, { numeric: true });
  const order = rows.toSorted((one, other) => compareCells(one.cells[column.at], other.cells[column.at], words));
  return sorting.isDescending ? order.reverse() : order;
}

function compareCells(one: Cell, other: Cell, words: Intl.Collator): number {
  if (one === null || one === undefined || other === null || other === undefined) {
    return Number(one !== null && one !== undefined) - Number(other !== null && other !== undefined);
  }
  if (typeof one === 'number' && typeof other === 'number') {
    return one - other;
  }
  return words.compare(wordOf(one), wordOf(other));
}

function wordOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
