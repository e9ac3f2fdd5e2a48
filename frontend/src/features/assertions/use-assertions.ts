import { useMutation, useQueryClient } from '@tanstack/react-query';

import type { AssertionsBulk, AssertionState } from '@/contracts/api';
import { useParameter } from '@/hooks/use-view-state';
import { i18n } from '@/i18n';
import { changeAssertions, runAssertions, type AssertionsAsked } from '@/lib/api/assertions';
import { tellDone, tellProblem } from '@/lib/notices';
import { keys } from '@/lib/query-client';

export const states = ['failed', 'passed', 'never-run', 'disabled'] as const satisfies readonly AssertionState[];

/** Which assertions are on view: the address bar says so. */
export function useAssertionsAsked(): AssertionsAsked {
  const [search] = useParameter('search');
  const [state] = useParameter('state');
  const [tag] = useParameter('tag');
  const [page] = useParameter('page');
  return {
    search: search ?? '',
    state: states.find((known) => known === state) ?? null,
    tag,
    page: Math.max(1, Number.parseInt(page ?? '1', 10) || 1),
  };
}

/** Asks again for everything that is told of assertions. */
export function useRefresh(estate: string) {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: keys.assertions(estate) });
}

/** Runs those that are named against what is live, or all that are enabled, and tells how it went. */
export function useRun(estate: string) {
  const refresh = useRefresh(estate);
  return useMutation({
    mutationFn: (ids: number[] | null) => runAssertions(estate, { ids }),
    onSuccess: ({ run: { passed, failed } }) => {
      tellDone(i18n.t('assertions:run.done', { passed, failed }));
    },
    onError: tellProblem,
    onSettled: refresh,
  });
}

/** Does one thing to many; what somebody else has deleted meanwhile is told. */
export function useBulk(estate: string) {
  const refresh = useRefresh(estate);
  return useMutation({
    mutationFn: (body: AssertionsBulk) => changeAssertions(estate, body),
    onSuccess: ({ changed, unchanged, gone }) => {
      tellDone(i18n.t('assertions:bulk.done', { changed, unchanged, gone }));
    },
    onError: tellProblem,
    onSettled: refresh,
  });
}
