// Carries out a topology change: one request, drawn at once, marked as on its way until the instance has applied it.
import { queryClient, keys } from '@/lib/query-client';
import { addPending, confirmPending, dropPending } from '@/lib/pending-store';
import { invert, type TopologyChange } from '@/topology/changes';
import { clausesOf, fieldsOf, patchOf } from '@/topology/route-clauses';

import { createRoute } from './api/route-create';
import { deleteRoute } from './api/route-delete';
import { updateRoute } from './api/route-update';

/** The revision that carries the change; throws what the server answers instead. */
export async function executeChange(estate: string, change: TopologyChange, baseRevision: number): Promise<number> {
  const id = crypto.randomUUID();
  addPending(estate, id, change);
  try {
    const { revision } = await request(estate, change, baseRevision);
    confirmPending(estate, id, revision);
    return revision;
  } catch (error) {
    dropPending(estate, id);
    throw error;
  } finally {
    await queryClient.invalidateQueries({ queryKey: keys.topology(estate) });
  }
}

/** Takes a change back that was made as `revision`; refused by the server when the estate has moved on since. */
export function undoChange(estate: string, change: TopologyChange, revision: number): Promise<number> {
  return executeChange(estate, invert(change), revision);
}

function request(estate: string, change: TopologyChange, revision: number): Promise<{ revision: number }> {
  const now = Date.now();
  switch (change.type) {
    case 'route-added':
      return createRoute(estate, change.scope, clausesOf(fieldsOf(change.route, now)));
    case 'route-removed':
      return deleteRoute(estate, change.scope, change.route.name, revision);
    case 'route-replaced': {
      const patch = patchOf(fieldsOf(change.before, now), fieldsOf(change.after, now));
      return updateRoute(estate, change.scope, change.before.name, patch, revision);
    }
  }
}
