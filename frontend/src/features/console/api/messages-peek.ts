import { answered, client } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** The first messages of a queue; nothing is taken. */
export async function peekMessages(estate: string, path: DatabasePath, queue: string, top: number) {
  return answered(
    await client.GET('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/queues/{queue}/messages', {
      params: { path: { estate, instance: path.instance, database: path.database, queue }, query: { top } },
    }),
  );
}
