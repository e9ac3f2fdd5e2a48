import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '../api-client';
import { keys } from '../query-client';

/** The last revisions of an estate, newest first. */
export function revisionsQuery(estate: string) {
  return queryOptions({
    queryKey: keys.revisions(estate),
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/revisions', { params: { path: { estate }, query: { limit: 200 } } }),
      ),
  });
}
