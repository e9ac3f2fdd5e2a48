import { answered, client, freshKey } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

export type SendRequest = { handle: string; messageType: string | null; bodies: readonly string[] };

/** SEND, once for each body, in order; when it answers, all of them are numbered and stored. */
export async function sendMessages(estate: string, path: DatabasePath, { handle, messageType, bodies }: SendRequest) {
  return answered(
    await client.POST(
      '/api/v1/estates/{estate}/instances/{instance}/databases/{database}/conversations/{handle}/messages',
      {
        params: { path: { estate, instance: path.instance, database: path.database, handle } },
        headers: freshKey(),
        body: { message_type: messageType, bodies: [...bodies], encoding: 'utf-8' },
      },
    ),
  );
}
