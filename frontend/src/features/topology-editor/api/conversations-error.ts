import { answered, client } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** ALTER DATABASE … SET ERROR_BROKER_CONVERSATIONS. */
export async function errorConversations(estate: string, path: DatabasePath) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/error-conversations', {
      params: { path: { estate, ...path } },
    }),
  );
}
