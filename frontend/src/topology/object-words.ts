// Objects of a change set or of the log, and their values, in words.
import type { DraftObject } from '@/contracts/api';

/** `PARIS · Ventes`, or `PARIS` for what belongs to the instance itself. */
export function objectPlace({ instance, database }: Pick<DraftObject, 'instance' | 'database'>): string {
  return database === null ? instance : `${instance} · ${database}`;
}

/** A value as a person reads it: texts as they are, lists with commas, nothing as a dash. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') {
    return '–';
  }
  if (typeof value === 'boolean') {
    return value ? 'yes' : 'no';
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? 'none' : value.map(valueText).join(', ');
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
}
