import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { asProblem } from '@/lib/errors';

import { exportResultQuery } from '../api/lake';

/** How many of those that were passed over are named; all of them are below, with the reason. */
const namesMax = 5;

/** Whether the lake has what the instances had, and which of them were passed over. */
export function Exported({ job }: { job: string }) {
  const { t } = useTranslation('analytics');
  const { data, error, refetch } = useQuery(exportResultQuery(job));
  if (data === undefined) {
    return error === null ? null : <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />;
  }
  const passed = data.instances.filter(({ problem }) => problem !== null).map(({ instance }) => instance);
  if (passed.length === 0) {
    return <p role="status">{t('lake.exportDone')}</p>;
  }
  const names = [...passed.slice(0, namesMax), ...(passed.length > namesMax ? ['…'] : [])].join(', ');
  return <p role="status">{t('lake.exportPassed', { names, count: passed.length })}</p>;
}
