import { queryOptions } from '@tanstack/react-query';

import type { Estate } from '@/contracts/api';

import { answered, client } from '../api-client';
import { keys } from '../query-client';

/** The wanted state of an estate, or what a change set makes of it, and how much each instance has applied. */
export function topologyQuery(estate: string, draft: number | null = null) {
  return queryOptions({
    queryKey: keys.draft(estate, draft),
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}', {
          params: { path: { estate }, query: draft === null ? {} : { change_set: draft } },
        }),
      ),
    // From live to a draft and back the drawing stays: what differs is drawn when it is there.
    placeholderData: (previous: Estate | undefined) => (previous?.name === estate ? previous : undefined),
  });
}
