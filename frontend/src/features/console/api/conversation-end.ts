import { answered, client, freshKey } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** END CONVERSATION on this side; the answer is the state it leaves, null when the endpoint is gone. */
export async function endConversation(estate: string, path: DatabasePath, handle: string) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/conversations/{handle}/end', {
      params: { path: { estate, instance: path.instance, database: path.database, handle } },
      headers: freshKey(),
      body: { with_cleanup: false },
    }),
  );
}
