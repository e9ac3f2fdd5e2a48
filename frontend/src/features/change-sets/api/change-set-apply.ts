import type { Draft } from '@/contracts/api';
import { answered, client, draftMatch } from '@/lib/api-client';

/** Makes a change set live as it was looked at: when it has moved on the server answers 412. */
export async function applyChangeSet(estate: string, draft: Draft) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/change-sets/{number}/apply', {
      params: { path: { estate, number: draft.number } },
      headers: draftMatch(draft),
    }),
  );
}
