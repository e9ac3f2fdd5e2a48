import { answered, client, ifMatch } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** ALTER DATABASE … SET NEW_BROKER. */
export async function renewBroker(estate: string, path: DatabasePath, revision: number) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/new-broker', {
      params: { path: { estate, ...path } },
      headers: ifMatch(revision),
    }),
  );
}
