import { answered, client } from '@/lib/api-client';
import type { ConversationPath } from '../row-paths';

/** Why messages of a conversation wait: the decision by which they were sent, the one now, what a retry would do. */
export async function explainTransmission(estate: string, { instance, database, handle }: ConversationPath) {
  return answered(
    await client.GET(
      '/api/v1/estates/{estate}/instances/{instance}/databases/{database}/conversations/{handle}/transmission',
      {
        params: { path: { estate, instance, database, handle } },
      },
    ),
  );
}
