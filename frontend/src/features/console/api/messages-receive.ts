import { answered, client, freshKey } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** WAITFOR: how long to wait when nothing is there, and what ends it before. */
export type Patience = { seconds: number; signal: AbortSignal };

/**
 * RECEIVE TOP (n): messages of one conversation group, taken from the queue for good; with `patience` it waits for
 * them.
 */
export async function receiveMessages(
  estate: string,
  path: DatabasePath,
  queue: string,
  top: number,
  patience?: Patience,
) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/queues/{queue}/receive', {
      params: { path: { estate, instance: path.instance, database: path.database, queue } },
      headers: freshKey(),
      body: { top, wait_seconds: patience?.seconds ?? 0 },
      ...(patience && { signal: patience.signal }),
    }),
  );
}
