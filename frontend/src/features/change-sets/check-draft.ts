import type { QueryClient } from '@tanstack/react-query';

import type { ChangeSet } from '@/contracts/api';
import { newestDraft } from '@/lib/api/change-set-read';

import { draftFlowsQuery } from './api/draft-flows-read';
import { draftAssertionsQuery, type Pair } from './use-draft-assertions';

export type DraftChecks = { unticked: number; failing: Pair[] };

/**
 * What stands against applying a draft as it is now: lost flows that are not ticked, assertions that newly fail. The
 * server decides on what could not be checked.
 */
export async function checkDraft(queries: QueryClient, estate: string, drawn: ChangeSet): Promise<DraftChecks> {
  const draft = newestDraft(queries, estate, drawn);
  const [flows, assertions] = await Promise.allSettled([
    queries.query({ ...draftFlowsQuery(estate, draft, 'lost', 1), retry: false }),
    queries.query({ ...draftAssertionsQuery(estate, draft), retry: false }),
  ]);
  return {
    unticked: flows.status === 'fulfilled' ? flows.value.unticked : 0,
    failing: assertions.status === 'fulfilled' ? assertions.value.failing : [],
  };
}
