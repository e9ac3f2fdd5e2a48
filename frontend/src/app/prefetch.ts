import { positionsQuery } from '@/features/topology-editor/api/positions-read';
import { meQuery } from '@/lib/api/me-read';
import { topologyQuery } from '@/lib/api/topology-read';
import { queryClient } from '@/lib/query-client';
import { isSandbox } from '@/topology/sandbox';

const map = /^\/estates\/([^/]+)\/topology\/?$/;

/**
 * Asks for all that the map at an address needs, at once. The page would ask for it in turn: who is it, then the
 * estate, then where its boxes stand. What is refused here is asked for again, and told, by the page.
 */
export function prefetchMap({ pathname, search }: Pick<Location, 'pathname' | 'search'>): void {
  const name = map.exec(pathname)?.[1];
  if (name === undefined) {
    return;
  }
  const estate = decodeURIComponent(name);
  const draft = Number(new URLSearchParams(search).get('draft') ?? 0);
  for (const answer of [
    queryClient.query(meQuery),
    queryClient.query(topologyQuery(estate, draft > 0 ? draft : null)),
    ...(isSandbox(estate) ? [] : [queryClient.query(positionsQuery(estate))]),
  ]) {
    answer.catch(() => undefined);
  }
}
