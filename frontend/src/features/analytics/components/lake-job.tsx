import { CloseButton, Progress } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Job } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { asProblem, readProblem } from '@/lib/errors';
import { tellProblem } from '@/lib/notices';
import { keys } from '@/lib/query-client';

import { cancelLakeJob, isJobUnderWay, jobQuery } from '../api/lake';
import { percentOf, stageText } from '../runs';
import classes from './analytics.module.css';
import { Exported } from './exported';
import { Imported } from './imported';
import { TakenOut } from './taken-out';
import { useBarredFrom } from './use-run-actions';

type Props = { job: string; onClose: () => void };

/** How far an export or an import is, or what takes a trace out again, and what came of it. */
export function LakeJob({ job: id, onClose }: Props) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const queries = useQueryClient();
  const { data: job, error } = useQuery(jobQuery(id));
  const isDone = job?.state === 'done';
  useEffect(() => {
    if (isDone) {
      void queries.invalidateQueries({ queryKey: keys.lake(estate) });
    }
  }, [isDone, queries, estate]);
  const close = <CloseButton size="sm" aria-label={t('lake.close')} onClick={onClose} />;
  if (job === undefined) {
    return error === null ? null : (
      <div className={classes.job}>
        <ProblemPanel problem={asProblem(error)} />
        {close}
      </div>
    );
  }
  if (isJobUnderWay(job)) {
    const percent = percentOf(job);
    const words = job.state === 'queued' ? t('state.queued') : stageText(job.stage);
    return (
      <div className={classes.job} role="group" aria-label={t(`lake.${kindOf(job)}Job`)}>
        <Progress value={percent ?? 100} animated={percent === null} aria-label={words} className={classes.bar ?? ''} />
        <span role="status">
          {percent === null ? words : t('progress', { stage: words, percent: Math.floor(percent) })}
        </span>
        <Cancel job={job} />
      </div>
    );
  }
  return (
    <div className={classes.job}>
      {job.state === 'done' ? (
        <Result job={job} />
      ) : job.state === 'failed' ? (
        <ProblemPanel problem={readProblem(400, { title: job.title, ...job.problem })} />
      ) : (
        <p role="status">{t(cancelled[kindOf(job)])}</p>
      )}
      {close}
    </div>
  );
}

const cancelled = {
  export: 'lake.cancelled',
  import: 'import.cancelled',
  takeOut: 'takeOut.cancelled',
} as const;

function kindOf({ kind }: Job): keyof typeof cancelled {
  return kind === 'lake-import' ? 'import' : kind === 'lake-take-out' ? 'takeOut' : 'export';
}

function Result({ job }: { job: Job }) {
  switch (kindOf(job)) {
    case 'export':
      return <Exported job={job.id} />;
    case 'import':
      return <Imported job={job.id} />;
    case 'takeOut':
      return <TakenOut job={job.id} />;
  }
}

function Cancel({ job }: { job: Job }) {
  const { t } = useTranslation('common');
  const queries = useQueryClient();
  const barred = useBarredFrom(job);
  const cancel = useMutation({
    mutationFn: () => cancelLakeJob(job.id),
    onError: tellProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: jobQuery(job.id).queryKey }),
  });
  return (
    <GuardedButton
      barred={barred}
      size="compact-sm"
      variant="default"
      disabled={job.state === 'cancelling' || cancel.isPending}
      onClick={() => {
        cancel.mutate();
      }}
    >
      {t('cancel')}
    </GuardedButton>
  );
}
