import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '../api-client';
import { keys } from '../query-client';

/** Everything that can fail by itself in what is live, in a draft or in a revision; `state` names the state of it. */
export function failuresQuery(estate: string, of: { draft: number | null; revision?: number | null }, state: string) {
  const { draft, revision = null } = of;
  return queryOptions({
    queryKey: [...keys.whatIf(estate), 'failures', draft, revision, state],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/what-if/failures', {
          params: {
            path: { estate },
            query: { ...(draft === null ? {} : { change_set: draft }), ...(revision === null ? {} : { revision }) },
          },
        }),
      ),
    staleTime: 60_000,
  });
}
