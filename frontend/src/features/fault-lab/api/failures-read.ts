import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

import type { Asked } from '../use-fault-lab';

/** Everything of the estate that can fail by itself. */
export function failuresQuery(estate: string, { state, draft }: Asked) {
  return queryOptions({
    queryKey: [...keys.whatIf(estate), 'failures', state],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/what-if/failures', {
          params: { path: { estate }, query: draft === null ? {} : { change_set: draft } },
        }),
      ),
    staleTime: 60_000,
  });
}
