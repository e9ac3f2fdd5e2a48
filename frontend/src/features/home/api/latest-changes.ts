import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

const shown = 6;

/** The newest revisions of an estate; read again when the live connection tells of one. */
export function latestRevisionsQuery(estate: string) {
  return queryOptions({
    queryKey: [...keys.revisions(estate), 'latest'],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/revisions', {
          params: { path: { estate }, query: { limit: shown } },
        }),
      ),
  });
}

/** The change sets that are open, newest first; `total` counts all of them. */
export function openChangeSetsQuery(estate: string) {
  return queryOptions({
    queryKey: [...keys.changeSetList(estate, 'open'), 'latest'],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/change-sets', {
          params: { path: { estate }, query: { state: 'open', limit: shown } },
        }),
      ),
  });
}
