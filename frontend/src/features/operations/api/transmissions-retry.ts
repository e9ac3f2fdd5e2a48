import type { ConversationNamed, GroupRetry } from '@/contracts/api';
import { answered, client, freshKey } from '@/lib/api-client';

/** Decides anew where messages of these conversations go, and sends them now. */
export async function retryTransmissions(estate: string, conversations: ConversationNamed[]) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/transmissions/retry', {
      params: { path: { estate }, header: freshKey() },
      body: { conversations },
    }),
  );
}

/** The same for conversations that wait for one reason. */
export async function retryGroup(estate: string, group: GroupRetry) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/transmissions/retry-group', {
      params: { path: { estate }, header: freshKey() },
      body: group,
    }),
  );
}
