import { answered, client, ifMatch } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** DROP ROUTE, as it was at `revision`: when the estate has moved on the server answers 412. */
export async function deleteRoute(estate: string, scope: DatabasePath, route: string, revision: number) {
  return answered(
    await client.DELETE('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/routes/{route}', {
      params: { path: { estate, instance: scope.instance, database: scope.database, route } },
      headers: ifMatch(revision),
    }),
  );
}
