import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

/** A handful of questions that are worth asking of an estate, or of a draft or revision of it. */
export function examplesQuery(estate: string, of: { draft: number | null; revision: number | null }, state: string) {
  const { draft, revision } = of;
  return queryOptions({
    queryKey: [...keys.whatIf(estate), 'examples', of, state],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/what-if/examples', {
          params: {
            path: { estate },
            query: { ...(draft === null ? {} : { change_set: draft }), ...(revision === null ? {} : { revision }) },
          },
        }),
      ),
    staleTime: 60_000,
  });
}
