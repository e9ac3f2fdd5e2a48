import { loose } from '@/lib/loose';

/** Says of lost flows that they are meant to be lost, or takes that back. */
export async function intendFlows(estate: string, number: number, flows: { keys: string[]; intended: boolean }) {
  return loose<{ unticked: number }>('POST', '/api/v1/estates/{estate}/change-sets/{number}/flows/intended', {
    params: { path: { estate, number } },
    body: flows,
  });
}
