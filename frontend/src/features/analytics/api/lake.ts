import { queryOptions } from '@tanstack/react-query';

import type { Job, Lake } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

import type { ImportResult, TakeOutResult } from './types';

const lookMilliseconds = 700;
/** Events come in all the time: how many wait is told anew. */
const lakeMilliseconds = 15_000;

/** What the lake has of an estate. */
export function lakeQuery(estate: string) {
  return queryOptions({
    queryKey: keys.lake(estate),
    queryFn: async () => answered(await client.GET('/api/v1/estates/{estate}/lake', { params: { path: { estate } } })),
    refetchInterval: lakeMilliseconds,
  });
}

/** Begins the job that writes what instances have and the lake does not. */
export async function exportLake(estate: string): Promise<Job> {
  return answered(await client.POST('/api/v1/estates/{estate}/lake/export', { params: { path: { estate } } }));
}

/** A trace of a real server, which is one of `instance`; `zone` is that of the server's clock. */
export type TraceFile = { file: File; instance: string; zone: string };

const tracePaths = {
  import: '/api/v1/estates/{estate}/lake/traces',
  takeOut: '/api/v1/estates/{estate}/lake/traces/removal',
} as const;
export type TraceWork = keyof typeof tracePaths;

/** Begins the job that takes a trace into the lake, or out of it again. */
export async function sendTrace(work: TraceWork, estate: string, { file, instance, zone }: TraceFile): Promise<Job> {
  return answered(
    await client.POST(tracePaths[work], {
      params: { path: { estate } },
      // The document calls the content of a file a text.
      body: { instance, time_zone: zone, file: file.name },
      bodySerializer: () => {
        const form = new FormData();
        form.append('instance', instance);
        form.append('time_zone', zone);
        form.append('file', file);
        return form;
      },
    }),
  );
}

export function isJobUnderWay({ state }: Pick<Job, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'cancelling';
}

/** A job of the lake, looked at until it is over. */
export function jobQuery(job: string) {
  return queryOptions({
    queryKey: [...keys.jobs, job],
    queryFn: async () => answered(await client.GET('/api/v1/jobs/{job}', { params: { path: { job } } })),
    refetchInterval: ({ state: { data } }) => (data === undefined || isJobUnderWay(data) ? lookMilliseconds : false),
  });
}

/** Asks a job of the lake to end; what it has written stays, which an import has not before its end. */
export async function cancelLakeJob(job: string): Promise<Job> {
  return answered(await client.POST('/api/v1/jobs/{job}/cancel', { params: { path: { job } } }));
}

/** What came of a trace that was imported. */
export function importResultQuery(job: string) {
  return resultQuery<ImportResult>(job);
}

/** What came of a trace that was taken out again. */
export function takeOutResultQuery(job: string) {
  return resultQuery<TakeOutResult>(job);
}

/** What the lake had at the end of an export, and who was passed over. */
export function exportResultQuery(job: string) {
  return resultQuery<Lake>(job);
}

function resultQuery<Result>(job: string) {
  return queryOptions({
    queryKey: [...keys.jobs, job, 'result'],
    queryFn: async () => {
      const result = await client.GET('/api/v1/jobs/{job}/result', { params: { path: { job } } });
      return answered(result as { data?: Result });
    },
    staleTime: Infinity,
  });
}
