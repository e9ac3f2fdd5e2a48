import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';

const refreshMilliseconds = 2_000;

export type QueuePlace = { estate: string; instance: string; database: string; queueId: number };

/** Readers of a queue that activation has started and that run, as `sys.dm_broker_activated_tasks` has them. */
export function activatedTasksQuery({ estate, instance, database, queueId }: QueuePlace) {
  return queryOptions({
    queryKey: ['activated-tasks', estate, instance, database, queueId],
    queryFn: async () => {
      const path = { estate, instance, database, view: 'sys.dm_broker_activated_tasks' };
      const column = ['spid', 'procedure_name', 'execute_as'];
      return answered(
        await client.GET('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/views/{view}', {
          params: { path, query: { column, filter: [`queue_id=${queueId}`] } },
        }),
      );
    },
    refetchInterval: refreshMilliseconds,
  });
}
