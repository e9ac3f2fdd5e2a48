import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import type { WhatIfRequest } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

/**
 * Where a message would go. `state` names the state of the estate that the page has: another one is asked about anew,
 * and meanwhile the answer stays that was there.
 */
export function answerQuery(estate: string, asked: WhatIfRequest, state: string) {
  return queryOptions({
    queryKey: [...keys.whatIf(estate), 'answer', asked, state],
    queryFn: async ({ signal }) =>
      answered(
        await client.POST('/api/v1/estates/{estate}/what-if/answer', {
          params: { path: { estate } },
          body: asked,
          signal,
        }),
      ),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
}
