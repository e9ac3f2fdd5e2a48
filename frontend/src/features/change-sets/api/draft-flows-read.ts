import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import type { ChangeSet, DraftFlow } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

/** What a change set may make of a flow; the gravest first. */
export const changes = ['lost', 'moved', 'gained'] as const;
export type Change = (typeof changes)[number];

const rows = 100;
/** As many as the server hands out at once. */
const most = 1000;

type Named = Pick<ChangeSet, 'number' | 'sequence' | 'revision'>;

/** What becomes of the flows of the estate with a change set: one page of one kind, the counts of all. */
export function draftFlowsQuery(
  estate: string,
  { number, sequence, revision }: Named,
  change: Change,
  page: number,
  unticked = false,
) {
  return queryOptions({
    queryKey: [...keys.flows(estate), number, sequence, revision, change, page, unticked],
    queryFn: () => read(estate, number, { change, page, rows, ...(unticked ? { unticked } : {}) }),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

type Query = { change: Change; page: number; rows: number; unticked?: boolean };

async function read(estate: string, number: number, query: Query) {
  return answered(
    await client.GET('/api/v1/estates/{estate}/change-sets/{number}/flows', {
      params: { path: { estate, number }, query },
    }),
  );
}

/** Every lost flow, page after page: for what is ticked in one step. */
export function lostFlowsQuery(estate: string, { number, sequence, revision }: Named) {
  return queryOptions({
    queryKey: [...keys.flows(estate), number, sequence, revision, 'all-lost'],
    queryFn: async () => {
      const first = await read(estate, number, { change: 'lost', page: 1, rows: most });
      const found: DraftFlow[] = [...first.rows];
      for (let page = 2; page <= first.pages; page += 1) {
        found.push(...(await read(estate, number, { change: 'lost', page, rows: most })).rows);
      }
      return found;
    },
  });
}
