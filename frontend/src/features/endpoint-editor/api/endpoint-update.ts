import type { EndpointPatch } from '@/contracts/api';
import { answered, client, ifMatch } from '@/lib/api-client';

/** Changes clauses of an endpoint, as it was at `revision`: when the estate has moved on the server answers 412. */
export async function updateEndpoint(estate: string, instance: string, patch: EndpointPatch, revision: number) {
  return answered(
    await client.PATCH('/api/v1/estates/{estate}/instances/{instance}/endpoint', {
      params: { path: { estate, instance } },
      headers: ifMatch(revision),
      body: patch,
    }),
  );
}
