// Carries out a change of a route in a change set: one request, drawn at once and marked until the server has it.
import type { Draft } from '@/contracts/api';
import { tryObject } from '@/lib/api/objects-edit';
import { throwRefusal } from '@/lib/errors';
import { addPending, dropPending } from '@/lib/pending-store';
import type { TopologyChange } from '@/topology/changes';
import { clausesOf, fieldsOf, patchOf } from '@/topology/route-clauses';

import { createRoute } from './api/route-create';
import { deleteRoute } from './api/route-delete';
import { updateRoute } from './api/route-update';

/** Throws what the server answers instead. */
export async function executeChange(estate: string, change: TopologyChange, draft: Draft): Promise<void> {
  const id = crypto.randomUUID();
  addPending(estate, id, change);
  try {
    await request(estate, change, draft);
  } catch (error) {
    dropPending(estate, id);
    throw error;
  }
}

/** Rejects as the server would refuse the change; nothing is done, and no change set is needed. */
export async function tryChange(estate: string, change: TopologyChange): Promise<void> {
  if (change.type === 'route-removed') {
    return;
  }
  const isNew = change.type === 'route-added';
  const { name, ...clauses } = isNew
    ? clausesOf(fieldsOf(change.route, Date.now()))
    : { name: change.before.name, ...patchFor(change) };
  const given = isNew ? Object.fromEntries(Object.entries(clauses).filter(([, value]) => value !== null)) : clauses;
  throwRefusal(await tryObject(estate, 'route', { ...change.scope, name }, given, { isNew, draft: null }));
}

/** Whether a form was saved as it was opened: then no draft is begun for it. */
export function changesNothing(change: TopologyChange): boolean {
  return change.type === 'route-replaced' && Object.keys(patchFor(change)).length === 0;
}

function patchFor({ before, after }: TopologyChange & { type: 'route-replaced' }) {
  const now = Date.now();
  return patchOf(fieldsOf(before, now), fieldsOf(after, now));
}

function request(estate: string, change: TopologyChange, draft: Draft): Promise<unknown> {
  const now = Date.now();
  switch (change.type) {
    case 'route-added':
      return createRoute(estate, change.scope, clausesOf(fieldsOf(change.route, now)), draft);
    case 'route-removed':
      return deleteRoute(estate, change.scope, change.route.name, draft);
    case 'route-replaced':
      return updateRoute(estate, change.scope, change.before.name, patchFor(change), draft);
  }
}
