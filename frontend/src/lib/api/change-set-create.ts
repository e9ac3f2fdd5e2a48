import { answered, client } from '../api-client';

/** Begins a change set on top of what is live. */
export async function createChangeSet(estate: string, title = '') {
  return answered(
    await client.POST('/api/v1/estates/{estate}/change-sets', { params: { path: { estate } }, body: { title } }),
  );
}
