import { answered, client } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** ALTER QUEUE … WITH ACTIVATION (STATUS = …): a revision of its own. */
export async function setQueueActivation(
  estate: string,
  { instance, database, queue }: DatabasePath & { queue: string },
  isEnabled: boolean,
) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/queues/{queue}/activation', {
      params: { path: { estate, instance, database, queue } },
      body: { is_enabled: isEnabled },
    }),
  );
}
