import type { Draft } from '@/contracts/api';
import { answered, client, draftMatch } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** DROP ROUTE, as it is in a change set: when that has moved on the server answers 412. */
export async function deleteRoute(estate: string, scope: DatabasePath, route: string, draft: Draft) {
  return answered(
    await client.DELETE('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/routes/{route}', {
      params: {
        path: { estate, instance: scope.instance, database: scope.database, route },
        query: { change_set: draft.number },
      },
      headers: draftMatch(draft),
    }),
  );
}
