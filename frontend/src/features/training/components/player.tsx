import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { Restoring } from '@/components/sandbox/restoring';
import { Page, PageBody, PageProblem } from '@/components/ui/page';
import { PageHeading } from '@/components/ui/page-heading';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { Section } from '@/components/ui/section';
import type { TrainingSession } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import { useRun, type Act } from '../use-run';
import { FaultsPart } from './faults-part';
import { HintLadder } from './hint-ladder';
import { Notice } from './notice';
import classes from './player.module.css';
import { Report } from './report';
import { SqlPane } from './sql-pane';
import { Score, TaskList } from './task-list';
import prose from './training.module.css';

type Props = {
  id: string;
  /** The sandbox as a picture; the page hands it in, since a feature imports no other. */
  map: ReactNode;
};

/** A run: while it goes on what there is to do and to do it with, after its end what came of it. */
export function Player({ id, map }: Props) {
  const { t } = useTranslation('training');
  const { run, act, isBusy, error, restoring } = useRun(id);
  const session = run.data;
  if (session === undefined && restoring !== null) {
    return (
      <div className={classes.restoring}>
        <Restoring percent={restoring} />
      </div>
    );
  }
  if (session === undefined) {
    return run.error === null ? (
      <Skeleton height="100%" radius={0} role="progressbar" aria-label={t('reading')} />
    ) : (
      <PageProblem problem={asProblem(run.error)} onRetry={() => void run.refetch()} />
    );
  }
  if (session.end !== null) {
    return (
      <Page heading={session.title}>
        <PageBody>
          <Report session={session} end={session.end} />
        </PageBody>
      </Page>
    );
  }
  const failed = error ?? run.error;
  return (
    <div className={classes.player}>
      <Sheet session={session} isBusy={isBusy} failed={failed} onAct={act} />
      <div className={classes.work}>
        <section className={classes.map} aria-label={t('sandbox.map')}>
          {map}
        </section>
        {session.is_own && (
          <div className={classes.sql}>
            <SqlPane session={session} />
          </div>
        )}
      </div>
    </div>
  );
}

type SheetProps = { session: TrainingSession; isBusy: boolean; failed: Error | null; onAct: Act };

/** What there is to do, how it stands, and what helps. */
function Sheet({ session, isBusy, failed, onAct }: SheetProps) {
  const { t } = useTranslation('training');
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard
    <section className={classes.sheet} aria-label={t('sandbox.sheet')} tabIndex={0}>
      <div className={classes.brief}>
        <PageHeading>{session.title}</PageHeading>
        {failed !== null && <ProblemPanel problem={asProblem(failed)} />}
        {session.run.notice !== null && <Notice notice={session.run.notice} />}
        <p className={prose.prose}>{session.brief}</p>
      </div>
      <Section title={t('tasks')}>
        {session.grading === null ? <p className={prose.faint}>{t('untold')}</p> : <Score grading={session.grading} />}
        <TaskList tasks={session.tasks} />
      </Section>
      <Section title={t('hint.heading')}>
        <HintLadder session={session} isBusy={isBusy} onAct={onAct} />
      </Section>
      <Section title={t('fault.heading')}>
        <FaultsPart session={session} isBusy={isBusy || session.clock?.is_used_up === true} onAct={onAct} />
      </Section>
    </section>
  );
}
