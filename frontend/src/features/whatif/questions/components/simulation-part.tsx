import { Button, Progress, Skeleton } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Job, TableQuestion, TableRequest } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useSetParameters } from '@/hooks/use-view-state';
import { asProblem, readProblem } from '@/lib/errors';
import { tellProblem } from '@/lib/notices';

import { cancelSimulation, isUnderWay, jobQuery, resultQuery, startSimulation } from '../api/simulation';
import { simulationFile } from '../api/table-file';
import { formatSorting, sorted } from '../sorting';
import type { TableAsked } from '../use-table';
import { AnswerTable } from './answer-table';
import { AnswerTools } from './answer-tools';
import classes from './questions.module.css';

type Props = { question: TableQuestion; table: TableAsked; request: TableRequest };

/** A question that a job answers: begun by a button, watched, cancelled, and its table. */
export function SimulationPart({ question, table, request }: Props) {
  const { t } = useTranslation('tables');
  const { name: estate } = useEstatePage();
  const set = useSetParameters();
  const begin = useMutation({
    mutationFn: () => startSimulation(estate, question.name, request),
    onSuccess: ({ id }) => {
      set({ job: id });
    },
  });
  return (
    <>
      <div className={classes.begin}>
        <Button
          size="sm"
          leftSection={<IconPlayerPlay size={16} />}
          loading={begin.isPending}
          onClick={() => {
            begin.mutate();
          }}
        >
          {table.job === null ? t('job.begin') : t('job.again')}
        </Button>
        <span className={classes.quiet}>{t('job.about')}</span>
      </div>
      {begin.error !== null && <ProblemPanel problem={asProblem(begin.error)} />}
      {table.job !== null && begin.error === null && <JobPart job={table.job} table={table} />}
    </>
  );
}

function JobPart({ job: id, table }: { job: string; table: TableAsked }) {
  const { t } = useTranslation('tables');
  const { data: job, error, refetch } = useQuery(jobQuery(id));
  if (job === undefined) {
    return error === null ? (
      <Skeleton height={60} role="progressbar" aria-label={t('asking')} />
    ) : (
      <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  if (isUnderWay(job)) {
    return <UnderWay job={job} />;
  }
  if (job.state === 'failed') {
    return <ProblemPanel problem={readProblem(400, { title: job.title, ...job.problem })} />;
  }
  return job.state === 'cancelled' ? (
    <p className={classes.quiet} role="status">
      {t('job.cancelled', { done: job.done, total: job.total })}
    </p>
  ) : (
    <Result job={id} table={table} />
  );
}

function UnderWay({ job }: { job: Job }) {
  const { t } = useTranslation('tables');
  const queries = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const { id, state, stage, done, total } = job;
  const waits = stage === 'waiting' ? t('job.behindAnother') : t('job.queued');
  const words = state === 'queued' ? waits : t('job.progress', { done, total });
  return (
    <div className={classes.progress} role="group" aria-label={t('job.label')}>
      <Progress value={total === 0 ? 0 : (100 * done) / total} animated={total === 0} aria-label={words} />
      <span role="status">{words}</span>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPlayerStop size={15} />}
        disabled={isAsked || state === 'cancelling'}
        onClick={() => {
          setAsked(true);
          cancelSimulation(id)
            .then(() => queries.invalidateQueries({ queryKey: jobQuery(id).queryKey, exact: true }))
            .catch((error: unknown) => {
              setAsked(false);
              tellProblem(error);
            });
        }}
      >
        {t('job.cancel')}
      </Button>
    </div>
  );
}

function Result({ job, table }: { job: string; table: TableAsked }) {
  const { t } = useTranslation('tables');
  const { name: estate } = useEstatePage();
  const set = useSetParameters();
  const { data, error, refetch } = useQuery(resultQuery(job));
  if (data === undefined) {
    return error === null ? (
      <Skeleton height={240} role="progressbar" aria-label={t('asking')} />
    ) : (
      <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  const answer = sorted(data, table.sorting);
  return (
    <>
      <AnswerTools
        answer={answer}
        table={table}
        isOlder={false}
        file={{ name: `${data.question}.csv`, address: simulationFile(estate, job) }}
      />
      {/* It scrolls, so it must be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={classes.scroll} role="region" aria-label={t('answer')} tabIndex={0}>
        <AnswerTable
          answer={answer}
          table={table}
          isOlder={false}
          onSort={(next) => {
            set({ sort: formatSorting(next) });
          }}
        />
      </div>
    </>
  );
}
