import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';
import { formatFaults } from '@/topology/faults';

import { basisOf, type Asked } from '../use-fault-lab';

/** The routes that expire from now until an instant, and the flows that change with them. */
export function futureQuery(estate: string, asked: Asked, until: string) {
  return queryOptions({
    queryKey: [...keys.whatIf(estate), 'future', asked.state, formatFaults(asked.faults), until],
    queryFn: async () =>
      answered(
        await client.POST('/api/v1/estates/{estate}/what-if/future', {
          params: { path: { estate } },
          body: { ...basisOf({ ...asked, at: null }), until },
        }),
      ),
    staleTime: 60_000,
  });
}
