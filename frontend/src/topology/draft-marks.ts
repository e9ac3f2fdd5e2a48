// Which boxes and lines of the drawing, and which rows of the outline, a change set adds or changes.
import type { DraftObject } from '@/contracts/api';

import { ids } from './graph';

/** The id under which an object is drawn; what has no box of its own is marked on its database or instance. */
export function draftId({ instance, database, kind, name }: DraftObject): string {
  if (database === null) {
    return ids.instance(instance);
  }
  const path = { instance, database };
  if (kind === 'route') {
    return ids.route(path, name);
  }
  return kind === 'service' ? ids.service(path, name) : ids.database(path);
}
