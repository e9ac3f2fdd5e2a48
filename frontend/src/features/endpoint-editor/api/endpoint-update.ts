import type { Draft, EndpointPatch } from '@/contracts/api';
import { answered, client, draftMatch } from '@/lib/api-client';

/** Changes clauses of an endpoint, as it is in a change set: when that has moved on the server answers 412. */
export async function updateEndpoint(estate: string, instance: string, patch: EndpointPatch, draft: Draft) {
  return answered(
    await client.PATCH('/api/v1/estates/{estate}/instances/{instance}/endpoint', {
      params: { path: { estate, instance }, query: { change_set: draft.number } },
      headers: draftMatch(draft),
      body: patch,
    }),
  );
}
