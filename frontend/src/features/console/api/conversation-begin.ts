import type { ConversationClauses } from '@/contracts/api';
import { answered, client, freshKey } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** BEGIN DIALOG in a database. Nothing travels yet. */
export async function beginConversation(estate: string, path: DatabasePath, clauses: ConversationClauses) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/conversations', {
      params: { path: { estate, instance: path.instance, database: path.database } },
      headers: freshKey(),
      body: clauses,
    }),
  );
}
