import type { Draft } from '@/contracts/api';

import { answered, client, draftMatch } from '../api-client';

/**
 * Gives a change set up; what was done in it stays in the log. With `seen` only if nobody has done anything in it
 * since.
 */
export async function discardChangeSet(estate: string, number: number, seen: Draft | null = null) {
  return answered(
    await client.DELETE('/api/v1/estates/{estate}/change-sets/{number}', {
      params: { path: { estate, number } },
      headers: seen === null ? {} : draftMatch(seen),
    }),
  );
}
