import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

const secondsBetween = 3;

/** The newest jobs of the whole dashboard, newest first: a job need not belong to one estate. */
export const jobsQuery = queryOptions({
  queryKey: keys.jobs,
  queryFn: async () => answered(await client.GET('/api/v1/jobs')),
  refetchInterval: secondsBetween * 1000,
});
