import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '../api-client';
import { keys } from '../query-client';

/** The sample estates that come with the product. */
export const samplesQuery = queryOptions({
  queryKey: keys.samples,
  queryFn: async () => answered(await client.GET('/api/v1/samples')),
  staleTime: Infinity,
});
