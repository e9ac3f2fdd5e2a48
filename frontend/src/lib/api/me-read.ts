import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '../api-client';
import { keys } from '../query-client';

/** Who is logged in, with which rights. */
export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: async () => answered(await client.GET('/api/v1/me')),
  staleTime: 60_000,
});
