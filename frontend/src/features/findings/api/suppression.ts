import type { SuppressionRequest } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';

/** Puts a finding aside, with a reason and until when. */
export async function suppressFinding(estate: string, body: SuppressionRequest) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/findings/suppressions', { params: { path: { estate } }, body }),
  );
}

/** Takes a suppression back. */
export async function unsuppressFinding(estate: string, suppression: number): Promise<void> {
  await client.DELETE('/api/v1/estates/{estate}/findings/suppressions/{suppression}', {
    params: { path: { estate, suppression } },
  });
}
