import { answered, client } from '@/lib/api-client';
import type { MessagePath } from '../row-paths';

/** The body of a message that waits, or its beginning; the log notes who reads it. */
export async function readBody(estate: string, { instance, database, handle, number, toService }: MessagePath) {
  return answered(
    await client.POST(
      '/api/v1/estates/{estate}/instances/{instance}/databases/{database}/conversations/{handle}/transmission/body',
      {
        params: { path: { estate, instance, database, handle } },
        body: { message_sequence_number: number, to_service_name: toService },
      },
    ),
  );
}
