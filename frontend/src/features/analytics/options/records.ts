// Pages of tables as charts read them: by the names of columns.
import type { Cell, TablePage } from '../api/types';

export type Row = Readonly<Record<string, Cell>>;

export function records({ columns, rows }: Pick<TablePage, 'columns' | 'rows'>): Row[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, place) => [name, row[place] ?? null])));
}

export function textOf(row: Row, name: string): string {
  const cell = row[name];
  return typeof cell === 'string' ? cell : typeof cell === 'number' ? String(cell) : '';
}

/** What is not there counts nothing. */
export function countOf(row: Row, name: string): number {
  const cell = row[name];
  return typeof cell === 'number' ? cell : 0;
}

export function figureOf(row: Row, name: string): number | null {
  const cell = row[name];
  return typeof cell === 'number' ? cell : null;
}
