import { queryOptions } from '@tanstack/react-query';

import type { Job, TableAnswer, TableRequest } from '@/contracts/api';
import { i18n } from '@/i18n';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

const lookMilliseconds = 500;

/** Begins the job that answers a question. */
export async function startSimulation(estate: string, name: string, request: TableRequest): Promise<Job> {
  return answered(
    await client.POST('/api/v1/estates/{estate}/what-if/questions/{question}', {
      params: { path: { estate, question: name } },
      body: { ...request, descending: false, page: 1 },
    }),
  ) as Job;
}

export function isUnderWay({ state }: Job): boolean {
  return state === 'queued' || state === 'running' || state === 'cancelling';
}

/** A job, looked at until it is over. */
export function jobQuery(job: string) {
  return queryOptions({
    queryKey: [...keys.jobs, job],
    queryFn: async () => answered(await client.GET('/api/v1/jobs/{job}', { params: { path: { job } } })),
    refetchInterval: ({ state: { data } }) => (data === undefined || isUnderWay(data) ? lookMilliseconds : false),
  });
}

/** What a job that is done has answered. */
export function resultQuery(job: string) {
  return queryOptions({
    queryKey: [...keys.jobs, job, 'result', i18n.language],
    queryFn: async () => {
      const result = await client.GET('/api/v1/jobs/{job}/result', { params: { path: { job } } });
      return answered(result as { data?: TableAnswer });
    },
    staleTime: Infinity,
  });
}

/** Ends a job before its next world. */
export async function cancelSimulation(job: string): Promise<Job> {
  return answered(await client.POST('/api/v1/jobs/{job}/cancel', { params: { path: { job } } }));
}
