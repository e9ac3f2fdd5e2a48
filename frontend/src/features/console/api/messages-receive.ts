import { answered, client, freshKey } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** RECEIVE TOP (n): messages of one conversation group, taken from the queue for good. */
export async function receiveMessages(estate: string, path: DatabasePath, queue: string, top: number) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/queues/{queue}/receive', {
      params: { path: { estate, instance: path.instance, database: path.database, queue } },
      headers: freshKey(),
      body: { top },
    }),
  );
}
