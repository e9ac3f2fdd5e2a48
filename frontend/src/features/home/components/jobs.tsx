import { Progress, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Job } from '@/contracts/api';
import { useNow } from '@/hooks/use-now';
import { asProblem } from '@/lib/errors';
import { relativeTime, useAbsoluteTime } from '@/lib/time';
import { authorText } from '@/topology/object-words';

import { jobsQuery } from '../api/jobs-list';
import classes from './home.module.css';

const underWay = ['queued', 'running', 'cancelling'] as const;
type State = (typeof underWay)[number];

/** A worker that was not heard of for so long has probably died; milliseconds. */
const lostMilliseconds = 60_000;

function stateOf({ state }: Job): State | undefined {
  return underWay.find((one) => one === state);
}

/** Work that takes longer than a request, as long as it is not over. */
export function Jobs() {
  const { t } = useTranslation(['home', 'common']);
  const { data, error, refetch } = useQuery(jobsQuery);
  const jobs = data?.filter((job) => stateOf(job) !== undefined);
  return (
    <section className={classes.panel} aria-label={t('jobs.label')}>
      <header>
        <h2>{t('jobs.label')}</h2>
      </header>
      {jobs === undefined && error !== null && (
        <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
      )}
      {jobs === undefined && error === null && (
        <Skeleton height={40} role="progressbar" aria-label={t('common:loadingPage')} />
      )}
      {jobs?.length === 0 && <p className={classes.none}>{t('jobs.none')}</p>}
      <ul className={classes.list}>
        {jobs?.map((job) => (
          <JobLine key={job.id} job={job} />
        ))}
      </ul>
    </section>
  );
}

function JobLine({ job }: { job: Job }) {
  const { t } = useTranslation('home');
  const now = useNow();
  const timeText = useAbsoluteTime();
  const { title, owner, created_at: at, heartbeat_at: beat, done, total } = job;
  const state = stateOf(job) ?? 'running';
  const heard = beat === null ? null : Date.parse(beat);
  return (
    <li>
      <span className={classes.summary}>
        {title} <Badge>{t(`jobs.state.${state}`)}</Badge>
      </span>
      {total > 0 && (
        <Progress value={(100 * done) / total} size="sm" aria-label={t('jobs.progress', { title, done, total })} />
      )}
      <span className={classes.faint} title={timeText(Date.parse(at))}>
        {t('jobs.by', { owner: authorText(owner), when: relativeTime(Date.parse(at), now) })}
      </span>
      {state !== 'queued' && heard !== null && now - heard > lostMilliseconds && (
        <span className={classes.faint}>{t('jobs.lost', { when: relativeTime(heard, now) })}</span>
      )}
    </li>
  );
}
