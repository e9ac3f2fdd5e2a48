import { answered, client } from '../api-client';

/** A new change set that puts back what a revision has changed. */
export async function revertRevision(estate: string, revision: number) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/revisions/{revision}/revert', {
      params: { path: { estate, revision } },
    }),
  );
}
