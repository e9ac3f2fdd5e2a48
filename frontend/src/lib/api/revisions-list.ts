import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import { answered, client } from '../api-client';
import { keys } from '../query-client';

/** All revisions of an estate, page by page, newest first. */
export function revisionPagesQuery(estate: string) {
  return infiniteQueryOptions({
    queryKey: [...keys.revisions(estate), 'pages'],
    queryFn: async ({ pageParam }) =>
      answered(
        await client.GET('/api/v1/estates/{estate}/revisions', {
          params: { path: { estate }, query: { limit: 200, before: pageParam } },
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next_before: next }) => next,
  });
}

/** The last 200 revisions of an estate, newest first, to choose one from. */
export function revisionsQuery(estate: string) {
  return queryOptions({
    queryKey: keys.revisions(estate),
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/revisions', { params: { path: { estate }, query: { limit: 200 } } }),
      ),
  });
}
