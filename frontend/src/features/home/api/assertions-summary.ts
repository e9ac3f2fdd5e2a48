import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

const againMilliseconds = 15_000;

/** How many assertions of an estate hold. Asked again by itself: a worker runs them some time after each revision. */
export function assertionsSummaryQuery(estate: string) {
  return queryOptions({
    queryKey: [...keys.assertions(estate), 'summary'],
    queryFn: async () =>
      answered(await client.GET('/api/v1/estates/{estate}/assertions/summary', { params: { path: { estate } } })),
    refetchInterval: againMilliseconds,
  });
}
