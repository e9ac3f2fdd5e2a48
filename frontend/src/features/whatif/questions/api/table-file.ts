import type { TableRequest } from '@/contracts/api';
import { client } from '@/lib/api-client';

import type { Sorting } from '../sorting';

/** The whole answer as comma-separated values. */
export async function tableFile(
  estate: string,
  name: string,
  request: TableRequest,
  sorting: Sorting | null,
): Promise<Blob> {
  const { data } = await client.POST('/api/v1/estates/{estate}/what-if/questions/{question}/csv', {
    params: { path: { estate, question: name } },
    body: { ...request, sort: sorting?.column ?? null, descending: sorting?.isDescending ?? false },
    parseAs: 'blob',
  });
  return data as unknown as Blob;
}

/** Where the answer of a job is a file. */
export function simulationFile(estate: string, job: string): string {
  return `/api/v1/estates/${encodeURIComponent(estate)}/what-if/simulations/${job}/csv`;
}
