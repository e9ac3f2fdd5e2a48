import type { RouteClauses } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** CREATE ROUTE in a database. */
export async function createRoute(estate: string, scope: DatabasePath, clauses: RouteClauses) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/routes', {
      params: { path: { estate, instance: scope.instance, database: scope.database } },
      body: clauses,
    }),
  );
}
