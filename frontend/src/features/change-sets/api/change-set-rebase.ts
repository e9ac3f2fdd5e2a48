import { answered, client } from '@/lib/api-client';

/** Puts a change set on top of what is live now. */
export async function rebaseChangeSet(estate: string, number: number) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/change-sets/{number}/rebase', { params: { path: { estate, number } } }),
  );
}
