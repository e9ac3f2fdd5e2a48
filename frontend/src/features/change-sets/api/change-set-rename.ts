import { answered, client } from '@/lib/api-client';

/** Another title for a change set. */
export async function renameChangeSet(estate: string, number: number, title: string) {
  return answered(
    await client.PATCH('/api/v1/estates/{estate}/change-sets/{number}', {
      params: { path: { estate, number } },
      body: { title },
    }),
  );
}
