import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { asProblem } from '@/lib/errors';

import { takeOutResultQuery } from '../api/lake';
import type { TakeOutResult } from '../api/types';

/** How many rows of a trace are out of the lake again. */
export function TakenOut({ job }: { job: string }) {
  const { t } = useTranslation('analytics');
  const { data, error, refetch } = useQuery(takeOutResultQuery(job));
  if (data === undefined) {
    return error === null ? (
      <p role="status">{t('takeOut.isDone')}</p>
    ) : (
      <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  return <p role="status">{t(wordsOf(data), { ...data })}</p>;
}

function wordsOf({ rows, taken, rejected }: TakeOutResult) {
  if (taken + rejected > 0) {
    return 'takeOut.done';
  }
  return rows === 0 ? 'takeOut.noTrace' : 'takeOut.none';
}
