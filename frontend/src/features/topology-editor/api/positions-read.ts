import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';
import type { Point } from '@/topology/layout';

export type Places = ReadonlyMap<string, Point>;

/** Where somebody has put boxes of the drawing. */
export function positionsQuery(estate: string) {
  return queryOptions({
    queryKey: keys.positions(estate),
    queryFn: async (): Promise<Places> => {
      const { positions } = answered(
        await client.GET('/api/v1/estates/{estate}/positions', { params: { path: { estate } } }),
      );
      return new Map(positions.map(({ node, x, y }) => [node, { x, y }]));
    },
    staleTime: 30_000,
  });
}
