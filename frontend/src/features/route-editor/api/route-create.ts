import type { Draft, RouteClauses } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** CREATE ROUTE in a database, as a change set has it. */
export async function createRoute(estate: string, scope: DatabasePath, clauses: RouteClauses, draft: Draft) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/routes', {
      params: {
        path: { estate, instance: scope.instance, database: scope.database },
        query: { change_set: draft.number },
      },
      body: clauses,
    }),
  );
}
