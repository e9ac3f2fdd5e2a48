import { answered, client } from '../api-client';

/** Takes one's own last action back. */
export async function undoInChangeSet(estate: string, number: number) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/change-sets/{number}/undo', { params: { path: { estate, number } } }),
  );
}
