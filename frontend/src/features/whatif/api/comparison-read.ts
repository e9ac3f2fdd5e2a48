import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import type { WhatIfComparisonRequest } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

/** One question about two states; `state` is as in `answerQuery`. */
export function comparisonQuery(estate: string, asked: WhatIfComparisonRequest, state: string) {
  return queryOptions({
    queryKey: [...keys.whatIf(estate), 'comparison', asked, state],
    queryFn: async ({ signal }) =>
      answered(
        await client.POST('/api/v1/estates/{estate}/what-if/comparison', {
          params: { path: { estate } },
          body: asked,
          signal,
        }),
      ),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
}
