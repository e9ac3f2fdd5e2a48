import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '../api-client';
import { keys } from '../query-client';

/** The wanted state of an estate, and how much of it each instance has applied. */
export function topologyQuery(estate: string) {
  return queryOptions({
    queryKey: keys.topology(estate),
    queryFn: async () => answered(await client.GET('/api/v1/estates/{estate}', { params: { path: { estate } } })),
  });
}
