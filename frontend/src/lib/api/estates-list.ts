import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '../api-client';
import { keys } from '../query-client';

/** Every estate with the names of its instances. */
export const estatesQuery = queryOptions({
  queryKey: keys.estates,
  queryFn: async () => answered(await client.GET('/api/v1/estates')),
});
