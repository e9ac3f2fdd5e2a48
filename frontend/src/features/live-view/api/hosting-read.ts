import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

/** Workers say how their instances are every few seconds; asking more often would tell nothing new. */
const refreshMilliseconds = 5_000;

/** Which worker hosts which instance of an estate. */
export function hostingQuery(estate: string) {
  return queryOptions({
    queryKey: keys.hosting(estate),
    queryFn: async () =>
      answered(await client.GET('/api/v1/estates/{estate}/hosting', { params: { path: { estate } } })),
    refetchInterval: refreshMilliseconds,
  });
}
