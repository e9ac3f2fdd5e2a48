import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import type { Severity } from '@/contracts/api';

import { answered, client } from '../api-client';
import { keys } from '../query-client';

export type FindingsAsked = {
  level?: Severity;
  code?: string;
  instance?: string;
  suppressed?: 'without' | 'only' | 'all';
  page?: number;
  rows?: number;
};

/** What is wrong with the wanted state of an estate. Another revision is another question. */
export function findingsQuery(estate: string, revision: number, asked: FindingsAsked) {
  return queryOptions({
    queryKey: [...keys.findings(estate), revision, asked],
    queryFn: async () =>
      answered(await client.GET('/api/v1/estates/{estate}/findings', { params: { path: { estate }, query: asked } })),
    // Time alone changes them too: routes and certificates expire.
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

/** As many as a drawing or a side panel can show, the gravest first. */
export function openFindingsQuery(estate: string, revision: number) {
  return findingsQuery(estate, revision, { rows: 1000 });
}
