import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';
import { formatFaults, type Fault } from '@/topology/faults';

import { basisOf, type Asked } from '../use-fault-lab';

/** A page of the flows of the estate, each under every one of the failures; what is supposed anyhow holds in all. */
export function matrixQuery(
  estate: string,
  asked: Asked,
  failures: readonly Fault[],
  page: number,
  onlyChanged: boolean,
) {
  return queryOptions({
    queryKey: [
      ...keys.whatIf(estate),
      'matrix',
      asked.state,
      asked.at,
      formatFaults(asked.faults),
      formatFaults(failures),
      page,
      onlyChanged,
    ],
    queryFn: async () =>
      answered(
        await client.POST('/api/v1/estates/{estate}/what-if/matrix', {
          params: { path: { estate } },
          body: { ...basisOf(asked), failures: [...failures], page, only_changed: onlyChanged },
        }),
      ),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}
