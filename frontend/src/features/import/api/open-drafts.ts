import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

/** The change sets of an estate into which an import may go. */
export function openDraftsQuery(estate: string) {
  return queryOptions({
    queryKey: keys.changeSetList(estate, 'open'),
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/change-sets', {
          params: { path: { estate }, query: { state: 'open', limit: 200 } },
        }),
      ),
  });
}
