import type { RoutePatch } from '@/contracts/api';
import { answered, client, ifMatch } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** Changes clauses of a route, as it was at `revision`: when the estate has moved on the server answers 412. */
export async function updateRoute(estate: string, scope: DatabasePath, route: string, patch: RoutePatch, revision: number) {
  return answered(
    await client.PATCH('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/routes/{route}', {
      params: { path: { estate, instance: scope.instance, database: scope.database, route } },
      headers: ifMatch(revision),
      body: patch,
    }),
  );
}
