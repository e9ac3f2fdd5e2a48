import { answered, client } from '../api-client';

/** Does again what one has taken back. */
export async function redoInChangeSet(estate: string, number: number) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/change-sets/{number}/redo', { params: { path: { estate, number } } }),
  );
}
