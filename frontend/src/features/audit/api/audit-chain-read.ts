import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

/** Whether the log is as it was written. */
export function auditChainQuery(estate: string) {
  return queryOptions({
    queryKey: keys.audit(estate, 'chain'),
    queryFn: async () =>
      answered(await client.GET('/api/v1/estates/{estate}/audit/chain', { params: { path: { estate } } })),
    staleTime: 60_000,
  });
}
