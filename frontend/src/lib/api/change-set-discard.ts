import { answered, client } from '../api-client';

/** Gives a change set up; what was done in it stays in the log. */
export async function discardChangeSet(estate: string, number: number) {
  return answered(await client.DELETE('/api/v1/estates/{estate}/change-sets/{number}', { params: { path: { estate, number } } }));
}
