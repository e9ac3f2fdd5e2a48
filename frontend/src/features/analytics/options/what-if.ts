// What becomes of conversations under another revision, counted for charts.
import type { Change } from '../api/types';
import { changes } from '../drill';
import { heatOf, type Heat } from './heat';
import type { Row } from './records';
import { countOf, textOf } from './records';

export type ChangeCount = { change: Change; conversations: number; flows: number };

/** Every class of change, the gravest first, with nothing where there is none. */
export function changeCounts(rows: readonly Row[]): ChangeCount[] {
  return changes.map((change) => {
    const those = rows.filter((row) => textOf(row, 'change') === change);
    const sum = (name: string) => those.reduce((all, row) => all + countOf(row, name), 0);
    return { change, conversations: sum('conversations'), flows: sum('flows') };
  });
}

/** A database of the field, as a line of it is called. */
export function placeText(instance: string, database: string): string {
  return `${instance} · ${database}`;
}

export type DatabaseHeat = Heat & { places: ReadonlyMap<string, { instance: string; database: string }> };

/** Databases by what changes for what they send; what stays is left out. */
export function databaseHeat(rows: readonly Row[]): DatabaseHeat {
  const changed = rows.filter((row) => textOf(row, 'change') !== 'unchanged');
  const sums = new Map<string, { across: string; down: string; figure: number }>();
  const places = new Map<string, { instance: string; database: string }>();
  for (const row of changed) {
    const [instance, database] = [textOf(row, 'instance'), textOf(row, 'database')];
    const [down, across] = [placeText(instance, database), textOf(row, 'change')];
    const key = JSON.stringify([down, across]);
    sums.set(key, { across, down, figure: (sums.get(key)?.figure ?? 0) + countOf(row, 'conversations') });
    places.set(down, { instance, database });
  }
  return { ...heatOf([...sums.values()], { across: changes.filter((change) => change !== 'unchanged') }), places };
}
