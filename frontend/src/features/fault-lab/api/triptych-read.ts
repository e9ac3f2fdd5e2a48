import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';
import { formatFaults } from '@/topology/faults';
import { formatSender, type Flow } from '@/topology/what-if-address';

import { basisOf, type Asked } from '../use-fault-lab';

/** One question as a mirrored pair stands: as it is, failed over, both partners down. */
export function triptychQuery(estate: string, asked: Asked, question: Flow) {
  const { to_service: to, broker_instance: id } = question;
  return queryOptions({
    queryKey: [
      ...keys.whatIf(estate),
      'triptych',
      asked.state,
      asked.at,
      formatFaults(asked.faults),
      formatSender(question),
      to,
      id ?? null,
    ],
    queryFn: async () =>
      answered(
        await client.POST('/api/v1/estates/{estate}/what-if/triptych', {
          params: { path: { estate } },
          body: { question, ...basisOf(asked) },
        }),
      ),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}
