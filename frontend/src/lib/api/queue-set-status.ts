import { answered, client, freshKey } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** ALTER QUEUE … WITH STATUS, at once: what is wanted stays as it is. */
export async function setQueueStatus(estate: string, path: DatabasePath & { queue: string }, isEnabled: boolean) {
  const { instance, database, queue } = path;
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/queues/{queue}/status', {
      params: { path: { estate, instance, database, queue }, header: freshKey() },
      body: { is_enabled: isEnabled },
    }),
  );
}
