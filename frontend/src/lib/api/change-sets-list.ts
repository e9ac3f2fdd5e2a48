import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import type { ChangeSetState } from '@/contracts/api';
import { answered, client } from '../api-client';
import { keys } from '../query-client';

/** All change sets of an estate in one state, page by page, newest first. */
export function changeSetPagesQuery(estate: string, state: ChangeSetState) {
  return infiniteQueryOptions({
    queryKey: [...keys.changeSetList(estate, state), 'pages'],
    queryFn: async ({ pageParam }) =>
      answered(
        await client.GET('/api/v1/estates/{estate}/change-sets', {
          params: { path: { estate }, query: { state, limit: 200, before: pageParam } },
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next_before: next }) => next,
  });
}

/** The last 200 change sets of an estate in one state, newest first, to choose one from. */
export function changeSetsQuery(estate: string, state: ChangeSetState) {
  return queryOptions({
    queryKey: keys.changeSetList(estate, state),
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/change-sets', {
          params: { path: { estate }, query: { state, limit: 200 } },
        }),
      ),
  });
}
