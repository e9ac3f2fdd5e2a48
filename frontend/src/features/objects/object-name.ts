// Which object is meant, as a key of rows and as text in the address bar.
import type { ListedObject, ObjectName } from '@/contracts/api';
import type { Selection } from '@/topology/selection';

import type { KindName } from './kinds';

export function keyOf({ instance, database, name }: ObjectName): string {
  return [instance, database ?? '', name].map(encodeURIComponent).join('/');
}

export function nameOf({ instance, database, name }: ListedObject): ObjectName {
  return { instance, database, name };
}

/** The inverse of `keyOf`; null for text that says nothing we know. */
export function parseName(text: string | null): ObjectName | null {
  if (text === null) {
    return null;
  }
  try {
    const [instance, database, name] = text.split('/').map(decodeURIComponent);
    return instance === undefined || name === undefined
      ? null
      : { instance, database: database === '' ? null : (database ?? null), name };
  } catch {
    return null;
  }
}

/** What shows an object on the canvas: itself, or the database or instance that it is in. */
export function selectionOf(kind: KindName, { instance, database, name }: ObjectName): Selection {
  if (kind === 'instance') {
    return { kind, instance: name };
  }
  if (typeof database !== 'string') {
    return { kind: 'instance', instance };
  }
  if (kind === 'route') {
    return { kind, instance, database, route: name };
  }
  return kind === 'service' ? { kind, instance, database, service: name } : { kind: 'database', instance, database };
}
