import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import type { Run, RunJob, RunRequest } from '@/contracts/api';
import { i18n } from '@/i18n';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

import { isUnderWay } from '../runs';

const liveMilliseconds = 1_000;
/** While nothing runs, somebody else may start it. */
const idleMilliseconds = 10_000;

/** How many runs the server tells at once. */
export const runsAtOnce = 200;

/** Runs of an estate, newest first; older ones when they are asked for. */
export function runsQuery(estate: string) {
  return infiniteQueryOptions({
    queryKey: [...keys.runs(estate), 'list', i18n.language],
    queryFn: async ({ pageParam: before }) =>
      answered(
        await client.GET('/api/v1/estates/{estate}/runs', {
          params: { path: { estate }, query: before === null ? {} : { before } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.length < runsAtOnce ? null : (page.at(-1)?.id ?? null)),
    select: ({ pages }) => pages.flat(),
    // Older pages are asked for with the newest one: not every second.
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && data.pages.flat().some(isUnderWay) ? liveMilliseconds : idleMilliseconds,
  });
}

/** One run, looked at until it is over. */
export function runQuery(estate: string, run: string) {
  return queryOptions({
    queryKey: [...keys.runs(estate), run, i18n.language],
    queryFn: async () =>
      answered(await client.GET('/api/v1/estates/{estate}/runs/{run}', { params: { path: { estate, run } } })),
    refetchInterval: ({ state: { data } }) => (data === undefined || isUnderWay(data) ? liveMilliseconds : false),
  });
}

export type Range = { since: string | null; until: string | null };

/** How much a run would read, and how long the last ones took for as much; another lake has another answer. */
export function estimateQuery(estate: string, job: RunJob, { since, until }: Range, events: number) {
  return queryOptions({
    queryKey: [...keys.runs(estate), 'estimate', job, since, until, events, i18n.language],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/runs/estimate', {
          params: {
            path: { estate },
            query: { job, ...(since === null ? {} : { since }), ...(until === null ? {} : { until }) },
          },
        }),
      ),
    staleTime: 30_000,
  });
}

export async function startRun(estate: string, body: RunRequest): Promise<Run> {
  return answered(await client.POST('/api/v1/estates/{estate}/runs', { params: { path: { estate } }, body }));
}

/** The same question once more, as a new run. */
export async function runAgain(estate: string, run: string): Promise<Run> {
  return answered(
    await client.POST('/api/v1/estates/{estate}/runs/{run}/again', { params: { path: { estate, run } } }),
  );
}

export async function cancelRun(estate: string, run: string): Promise<Run> {
  return answered(
    await client.POST('/api/v1/estates/{estate}/runs/{run}/cancel', { params: { path: { estate, run } } }),
  );
}

/** Its tables go too. */
export async function deleteRun(estate: string, run: string): Promise<void> {
  await client.DELETE('/api/v1/estates/{estate}/runs/{run}', { params: { path: { estate, run } } });
}
