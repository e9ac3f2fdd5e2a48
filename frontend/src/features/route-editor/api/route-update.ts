import type { Draft, RoutePatch } from '@/contracts/api';
import { answered, client, draftMatch } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** Changes clauses of a route, as it is in a change set: when that has moved on the server answers 412. */
export async function updateRoute(estate: string, scope: DatabasePath, route: string, patch: RoutePatch, draft: Draft) {
  return answered(
    await client.PATCH('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/routes/{route}', {
      params: {
        path: { estate, instance: scope.instance, database: scope.database, route },
        query: { change_set: draft.number },
      },
      headers: draftMatch(draft),
      body: patch,
    }),
  );
}
