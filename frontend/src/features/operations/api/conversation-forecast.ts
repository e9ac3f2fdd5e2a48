import { answered, client } from '@/lib/api-client';
import type { ConversationPath } from '../row-paths';

/** What becomes of the messages of a conversation on all hops, and what is wrong on them. */
export async function forecastConversation(estate: string, { instance, database, handle }: ConversationPath) {
  return answered(
    await client.GET(
      '/api/v1/estates/{estate}/instances/{instance}/databases/{database}/conversations/{handle}/forecast',
      {
        params: { path: { estate, instance, database, handle } },
      },
    ),
  );
}
