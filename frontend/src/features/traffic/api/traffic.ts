import { queryOptions } from '@tanstack/react-query';

import type { TrafficRequest, TrafficRun } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

/** The generator writes its figures every half second. */
const liveMilliseconds = 1_000;
/** While nothing runs, somebody else may start it. */
const idleMilliseconds = 5_000;

export function isUnderWay(run: TrafficRun | undefined): boolean {
  return run?.state === 'running' || run?.state === 'stopping';
}

/** The newest run of test traffic of an estate. */
export function trafficQuery(estate: string) {
  return queryOptions({
    queryKey: keys.traffic(estate),
    queryFn: async () =>
      answered(await client.GET('/api/v1/estates/{estate}/traffic', { params: { path: { estate } } })),
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? liveMilliseconds : idleMilliseconds),
  });
}

/** Pairs of services that can talk, as routing says of a revision. */
export function trafficOffersQuery(estate: string, revision: number) {
  return queryOptions({
    queryKey: [...keys.traffic(estate), 'offers', revision],
    queryFn: async () =>
      answered(await client.GET('/api/v1/estates/{estate}/traffic/offers', { params: { path: { estate } } })),
    staleTime: 60_000,
  });
}

export async function startTraffic(estate: string, body: TrafficRequest) {
  return answered(await client.POST('/api/v1/estates/{estate}/traffic/start', { params: { path: { estate } }, body }));
}

export async function stopTraffic(estate: string) {
  return answered(await client.POST('/api/v1/estates/{estate}/traffic/stop', { params: { path: { estate } } }));
}
