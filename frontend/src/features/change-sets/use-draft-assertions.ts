import { queryOptions, useQuery } from '@tanstack/react-query';

import type { AssertionResult, ChangeSet } from '@/contracts/api';
import { runAssertions } from '@/lib/api/assertions';
import { keys } from '@/lib/query-client';

/** An assertion whose result the draft makes another one, or that fails with it and without. */
export type Pair = { live: AssertionResult; draft: AssertionResult };
export type DraftAssertions = { count: number; failing: Pair[]; passing: Pair[]; still: Pair[] };

/** The enabled assertions, run against the draft and against what is live; neither run is kept. */
export function draftAssertionsQuery(
  estate: string,
  { number, sequence, revision }: Pick<ChangeSet, 'number' | 'sequence' | 'revision'>,
) {
  return queryOptions({
    queryKey: [...keys.assertions(estate), 'draft', number, sequence, revision],
    queryFn: async () => {
      // A run that names its revision is not kept.
      const [live, draft] = await Promise.all([
        runAssertions(estate, { revision }),
        runAssertions(estate, { change_set: number }),
      ]);
      return comparedRuns(live.results, draft.results);
    },
    staleTime: 60_000,
    retry: false,
  });
}

export function useDraftAssertions(estate: string, changeSet: ChangeSet) {
  return useQuery({
    ...draftAssertionsQuery(estate, changeSet),
    enabled: changeSet.state === 'open' && changeSet.object_count > 0,
  });
}

/** What a draft does to results; assertions that are in one of the runs only were made or switched meanwhile. */
export function comparedRuns(live: readonly AssertionResult[], draft: readonly AssertionResult[]): DraftAssertions {
  const before = new Map(live.map((result) => [result.assertion_id, result]));
  const pairs = draft.flatMap((result) => {
    const known = before.get(result.assertion_id);
    return known === undefined ? [] : [{ live: known, draft: result }];
  });
  return {
    count: pairs.length,
    failing: pairs.filter((pair) => pair.live.passed && !pair.draft.passed),
    passing: pairs.filter((pair) => !pair.live.passed && pair.draft.passed),
    still: pairs.filter((pair) => !pair.live.passed && !pair.draft.passed),
  };
}
