import { queryOptions } from '@tanstack/react-query';

import type { Draft, FixAsked } from '@/contracts/api';

import { answered, client, draftMatch } from '../api-client';
import { keys } from '../query-client';

const address = '/api/v1/estates/{estate}/findings/fix';

/** What a proposed fix would do to what is live, or to a draft. Another state is another question. */
export function fixPreviewQuery(estate: string, revision: number, draft: Draft | null, asked: FixAsked) {
  const query = { ...asked, ...(draft === null ? {} : { change_set: draft.number }) };
  return queryOptions({
    queryKey: [...keys.findings(estate), 'fix', revision, draft, asked],
    queryFn: async () => answered(await client.GET(address, { params: { path: { estate }, query } })),
    staleTime: 0,
  });
}

/** Takes a proposed fix into a draft, as one step of undo. */
export async function takeFix(estate: string, draft: Draft, asked: FixAsked) {
  return answered(
    await client.POST(address, {
      params: { path: { estate }, query: { change_set: draft.number } },
      headers: draftMatch(draft),
      body: asked,
    }),
  );
}
