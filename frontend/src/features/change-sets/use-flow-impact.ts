import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import type { ChangeSet, DraftFlows } from '@/contracts/api';
import { useParameter } from '@/hooks/use-view-state';
import { i18n } from '@/i18n';
import { tellDone, tellProblem } from '@/lib/notices';
import { draftScope, keys } from '@/lib/query-client';
import { refreshEstate } from '@/lib/refresh';

import { changes, draftFlowsQuery, type Change } from './api/draft-flows-read';
import { intendFlows } from './api/flows-intend';

/** Which flows are on view: the address bar says so. */
export function useFlowsAsked(): { change: Change; page: number; isUnticked: boolean } {
  const [change] = useParameter('change');
  const [unticked] = useParameter('unticked');
  const [page] = useParameter('page');
  const known = changes.find((name) => name === change) ?? 'lost';
  return {
    change: known,
    isUnticked: known === 'lost' && unticked !== null,
    page: Math.max(1, Number.parseInt(page ?? '1', 10) || 1),
  };
}

/** The counts alone, for what stands beside the list; `undefined` as long as they are not known. */
export function useFlowCounts(estate: string, changeSet: ChangeSet) {
  const { data, isPending, isPlaceholderData } = useQuery({
    ...draftFlowsQuery(estate, changeSet, 'lost', 1),
    enabled: changeSet.state === 'open',
  });
  return { counts: data, isChecking: changeSet.state === 'open' && (isPending || isPlaceholderData) };
}

/** Why a change set is held back because of its flows; null when it is not, or the server decides: they are not known. */
export function whyHeldBack({ counts, isChecking }: { counts: DraftFlows | undefined; isChecking: boolean }) {
  return isChecking || counts === undefined || counts.unticked === 0
    ? null
    : i18n.t('impact:barred.unticked', { count: counts.unticked });
}

/** Ticks lost flows as intended, or takes that back. */
export function useIntend(estate: string, number: number) {
  const queries = useQueryClient();
  return useMutation({
    scope: draftScope(estate, number),
    mutationFn: (flows: { keys: string[]; intended: boolean }) => intendFlows(estate, number, flows),
    onSuccess: (_, { keys: { length: count }, intended }) => {
      if (count > 1) {
        tellDone(i18n.t(intended ? 'impact:ticked' : 'impact:unticked', { count }));
      }
    },
    onError: tellProblem,
    // A tick is an action in the change set, which counts on by it.
    onSettled: () =>
      Promise.all([queries.invalidateQueries({ queryKey: keys.flows(estate) }), refreshEstate(queries, estate)]),
  });
}
