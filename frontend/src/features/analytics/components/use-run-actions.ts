import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import { useEstatePage } from '@/hooks/use-estate-page';
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
