import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import type { ChangeSet } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

export const fates = ['new', 'gone', 'still'] as const;
export type Fate = (typeof fates)[number];

const rows = 100;

/** Which findings a change set brings, mends and leaves; one page of one of the three, the counts of all. */
export function draftFindingsQuery(
  estate: string,
  { number, sequence, revision }: ChangeSet,
  fate: Fate,
  page: number,
) {
  return queryOptions({
    queryKey: [...keys.findings(estate), 'draft', number, sequence, revision, fate, page],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/change-sets/{number}/findings', {
          params: { path: { estate, number }, query: { fate, page, rows } },
        }),
      ),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}
