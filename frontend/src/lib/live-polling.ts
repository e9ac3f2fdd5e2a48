// A topic over HTTP, while the socket cannot be opened: the same snapshot that a subscription begins with.
import type { SnapshotMessage } from '@/contracts/live-messages';
import type { Wanted } from '@/live/streams';

import { answered, client } from './api-client';

/** Throws an `ApiError` when the server refuses or is away. */
export async function pollTopic({ estate, topic, params }: Wanted): Promise<SnapshotMessage> {
  const answer = await client.GET('/api/v1/estates/{estate}/live/{topic}', {
    params: { path: { estate, topic } },
    querySerializer: () => queryOf(params),
  });
  return answered(answer);
}

/** Lists are repeated; null in a list is an empty text. */
function queryOf(params: Wanted['params']): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const each of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      query.append(name, each === null ? '' : textOf(each));
    }
  }
  return query.toString();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
