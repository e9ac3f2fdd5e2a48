import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import type { Draft, Severity } from '@/contracts/api';

import { answered, client } from '../api-client';
import { keys } from '../query-client';

export type FindingsAsked = {
  level?: Severity;
  code?: string;
  instance?: string;
  database?: string;
  suppressed?: 'without' | 'only' | 'all';
  page?: number;
  rows?: number;
  by_object?: boolean;
};

/**
 * What is wrong with the wanted state of an estate, or with it as a draft would have it. Another state is another
 * question.
 */
export function findingsQuery(estate: string, revision: number, draft: Draft | null, asked: FindingsAsked) {
  const query = { ...asked, ...(draft === null ? {} : { change_set: draft.number }) };
  return queryOptions({
    queryKey: [...keys.findings(estate), revision, draft, asked],
    queryFn: async () =>
      answered(await client.GET('/api/v1/estates/{estate}/findings', { params: { path: { estate }, query } })),
    // Time alone changes them too: routes and certificates expire.
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

/** How many open findings there are, and how many of each object: every one counts, however many there are. */
export function findingCountsQuery(estate: string, revision: number, draft: Draft | null) {
  return findingsQuery(estate, revision, draft, { rows: 1, by_object: true });
}
