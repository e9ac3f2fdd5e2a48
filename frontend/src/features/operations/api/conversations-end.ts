import type { ConversationNamed } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';

/** END CONVERSATION for each, with a result for each. The same `key` again finds what has happened. */
export async function endConversations(
  estate: string,
  conversations: ConversationNamed[],
  withCleanup: boolean,
  key: string,
) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/conversations/end', {
      params: { path: { estate }, header: { 'Idempotency-Key': key } },
      body: { conversations, with_cleanup: withCleanup },
    }),
  );
}
