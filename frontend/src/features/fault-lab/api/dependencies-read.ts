import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';
import { formatFaults } from '@/topology/faults';
import type { Flow } from '@/topology/what-if-address';

import { basisOf, type Asked } from '../use-fault-lab';

/** The single failures on which a flow depends. */
export function dependenciesQuery(estate: string, asked: Asked, question: Flow) {
  return queryOptions({
    queryKey: [
      ...keys.whatIf(estate),
      'dependencies',
      asked.state,
      asked.at,
      formatFaults(asked.faults),
      JSON.stringify(question),
    ],
    queryFn: async () =>
      answered(
        await client.POST('/api/v1/estates/{estate}/what-if/dependencies', {
          params: { path: { estate } },
          body: { ...basisOf(asked), question },
        }),
      ),
    staleTime: 60_000,
  });
}
