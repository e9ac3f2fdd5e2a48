import type { ConflictDecision } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';

/** Decides one conflict: the change set keeps what it has, or takes what is live. */
export async function decideConflict(estate: string, number: number, decision: ConflictDecision) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/change-sets/{number}/conflicts', {
      params: { path: { estate, number } },
      body: decision,
    }),
  );
}
