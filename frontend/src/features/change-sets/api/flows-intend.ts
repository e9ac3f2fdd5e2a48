import { answered, client } from '@/lib/api-client';

/** Says of lost flows that they are meant to be lost, or takes that back. */
export async function intendFlows(estate: string, number: number, flows: { keys: string[]; intended: boolean }) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/change-sets/{number}/flows/intended', {
      params: { path: { estate, number } },
      body: flows,
    }),
  );
}
