import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';
import { formatFaults } from '@/topology/faults';
import type { Flow } from '@/topology/what-if-address';

import type { Failure } from '../matrix-columns';
import { basisOf, type Asked } from '../use-fault-lab';

export type MatrixAsked = {
  /** Columns, each with what fails at once. */
  failures: readonly Failure[];
  /** Of this flow alone; null for every flow of the estate. */
  flow: Flow | null;
  page: number;
  onlyChanged: boolean;
};

/** A page of the flows of the estate, each under every one of the failures; what is supposed anyhow holds in all. */
export function matrixQuery(estate: string, asked: Asked, { failures, flow, page, onlyChanged }: MatrixAsked) {
  return queryOptions({
    queryKey: [
      ...keys.whatIf(estate),
      'matrix',
      asked.state,
      asked.at,
      formatFaults(asked.faults),
      failures.map(formatFaults).join(';'),
      JSON.stringify(flow),
      page,
      onlyChanged,
    ],
    queryFn: async () =>
      answered(
        await client.POST('/api/v1/estates/{estate}/what-if/matrix', {
          params: { path: { estate } },
          body: {
            ...basisOf(asked),
            failures: failures.map((faults) => [...faults]),
            question: flow,
            page,
            only_changed: onlyChanged,
          },
        }),
      ),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}
