import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight, usePerson } from '@/hooks/use-rights';
import { tellDone, tellProblem } from '@/lib/notices';
import { keys } from '@/lib/query-client';

import { runAddress } from '../addresses';
import { cancelRun, deleteRun, runAgain } from '../api/runs';

/** What can be done with a run; refusals are told in the corner. */
export function useRunActions(onDeleted?: () => void) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const onSettled = () => queries.invalidateQueries({ queryKey: keys.runs(estate) });
  const cancel = useMutation({ mutationFn: (run: string) => cancelRun(estate, run), onError: tellProblem, onSettled });
  const again = useMutation({
    mutationFn: (run: string) => runAgain(estate, run),
    onError: tellProblem,
    onSuccess: ({ id }) => {
      void navigate(runAddress(estate, id));
    },
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (run: string) => deleteRun(estate, run),
    onError: tellProblem,
    onSuccess: () => {
      tellDone(t('delete.done'));
      onDeleted?.();
    },
    onSettled,
  });
  return { cancel, again, remove };
}

/** Null who may end or delete it, else why not: what somebody else has begun, only those may who edit. */
export function useBarredFrom({ owner }: { owner: string | null }): string | null {
  const { t } = useTranslation('analytics');
  const missing = useMissingRight('operate');
  const { username, rights } = usePerson();
  if (missing !== null || owner === username || rights.includes('edit')) {
    return missing;
  }
  return t('runs.notYours', { owner: owner ?? '', isKnown: owner === null ? 'no' : 'yes' });
}
