import { client } from '@/lib/api-client';
import type { MovedTo } from '@/topology/moves';

const atOnce = 5000;

/** Puts boxes somewhere; null gives one back to the layout. */
export async function setPositions(estate: string, moved: MovedTo): Promise<void> {
  const all = [...moved];
  for (let begin = 0; begin < all.length; begin += atOnce) {
    const some = all.slice(begin, begin + atOnce);
    const body = {
      put: some.flatMap(([node, at]) => (at === null ? [] : [{ node, ...at }])),
      forgotten: some.flatMap(([node, at]) => (at === null ? [node] : [])),
    };
    await client.PATCH('/api/v1/estates/{estate}/positions', { params: { path: { estate } }, body });
  }
}
