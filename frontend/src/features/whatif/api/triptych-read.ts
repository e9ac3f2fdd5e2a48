import { queryOptions } from '@tanstack/react-query';

import type { WhatIfRequest } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

/** One question for three states of the mirrored pair on its way; `state` is as in `answerQuery`. */
export function triptychQuery(estate: string, asked: WhatIfRequest, state: string) {
  return queryOptions({
    queryKey: [...keys.whatIf(estate), 'triptych', asked, state],
    queryFn: async ({ signal }) =>
      answered(
        await client.POST('/api/v1/estates/{estate}/what-if/triptych', {
          params: { path: { estate } },
          body: asked,
          signal,
        }),
      ),
    staleTime: 30_000,
  });
}
