import type { TFunction } from 'i18next';

import type { GridRow, Read } from '@/live/grid/rows';

import type { Look } from '../frame/looks';

export type Words = TFunction<'views'>;

/** The two columns that say where a row is from; the vendor's views know one database only. */
export function placeLooks(t: Words): { instance_name: Look; database_name: Look } {
  return { instance_name: instanceLook(t), database_name: { title: t('ours.database'), width: 140, isSortable: true } };
}

export function instanceLook(t: Words): Look {
  return { title: t('ours.instance'), width: 124, isSortable: true };
}

/** `PARIS · Ventes`, or the instance alone where a view is about whole instances. */
export function placeOf(row: GridRow, read: Read): string {
  const database = read(row, 'database_name');
  return typeof database === 'string' ? `${row.instance} · ${database}` : row.instance;
}

/** A cell that is a text; empty for NULL. */
export function textOf(row: GridRow, read: Read, id: string): string {
  const value = read(row, id);
  return typeof value === 'string' ? value : '';
}
