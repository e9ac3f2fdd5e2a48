import { Button, Skeleton } from '@mantine/core';
import { IconCheck, IconFlag } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { Page, PageBody, PageProblem } from '@/components/ui/page';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { Section } from '@/components/ui/section';
import type { TrainingSession } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import type { Deeds } from '../api/training';
import { useRun } from '../use-run';
import { ClockBar } from './clock-bar';
import { FaultsPart } from './faults-part';
import { HintLadder } from './hint-ladder';
import { Report } from './report';
import { SqlPane } from './sql-pane';
import { Score, TaskList } from './task-list';
import classes from './training.module.css';

type Act = (act: (deeds: Deeds) => Promise<TrainingSession>) => void;

/** A run: while it goes on what there is to do and to do it with, after its end what came of it. */
export function Player({ id }: { id: string }) {
  const { t } = useTranslation('training');
  const { run, deed } = useRun(id);
  const session = run.data;
  if (session === undefined) {
    return run.error === null ? (
      <Skeleton height="100%" radius={0} role="progressbar" aria-label={t('reading')} />
    ) : (
      <PageProblem problem={asProblem(run.error)} onRetry={() => void run.refetch()} />
    );
  }
  const onAct: Act = (act) => {
    deed.mutate(act);
  };
  const failed = deed.error ?? run.error;
  return (
    <Page
      heading={session.title}
      beside={<Badge>{t(`mode.${session.run.mode}`)}</Badge>}
      tools={
        session.clock === null ? undefined : (
          <div className={classes.tools}>
            <ClockBar session={session} clock={session.clock} onAct={onAct} />
            <EndButtons session={session} isBusy={deed.isPending} onAct={onAct} />
          </div>
        )
      }
    >
      <PageBody>
        {failed !== null && <ProblemPanel problem={asProblem(failed)} />}
        {session.end === null ? (
          <Desk session={session} isBusy={deed.isPending} onAct={onAct} />
        ) : (
          <Report session={session} end={session.end} />
        )}
      </PageBody>
    </Page>
  );
}

type DeskProps = { session: TrainingSession; isBusy: boolean; onAct: Act };

function Desk({ session, isBusy, onAct }: DeskProps) {
  const { t } = useTranslation('training');
  return (
    <div className={classes.desk}>
      <div className={classes.column}>
        <Section title={t('brief')}>
          <p className={classes.prose}>{session.brief}</p>
        </Section>
        <Section title={t('tasks')}>
          {session.grading === null ? (
            <p className={classes.faint}>{t('untold')}</p>
          ) : (
            <Score grading={session.grading} />
          )}
          <TaskList tasks={session.tasks} />
        </Section>
        <Section title={t('hint.heading')}>
          <HintLadder session={session} isBusy={isBusy} onAct={onAct} />
        </Section>
      </div>
      <div className={classes.column}>
        <SqlPane session={session} />
        <Section title={t('fault.heading')}>
          <FaultsPart session={session} isBusy={isBusy} onAct={onAct} />
        </Section>
      </div>
    </div>
  );
}

type EndProps = { session: TrainingSession; isBusy: boolean; onAct: Act };

function EndButtons({ session, isBusy, onAct }: EndProps) {
  const { t } = useTranslation('training');
  const [isAsked, setAsked] = useState<'finish' | 'giveUp' | null>(null);
  const { best_score: best } = session.run;
  if (isAsked !== null) {
    return (
      <div className={classes.actions} role="group" aria-label={t(`sure.${isAsked}`)}>
        <span>{t(`sure.${isAsked}`)}</span>
        <Button
          size="xs"
          {...(isAsked === 'giveUp' ? { color: 'red' } : {})}
          disabled={isBusy}
          onClick={() => {
            setAsked(null);
            onAct((deeds) => (isAsked === 'giveUp' ? deeds.giveUp() : deeds.finish()));
          }}
        >
          {t(`sure.${isAsked}Yes`)}
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            setAsked(null);
          }}
        >
          {t('sure.no')}
        </Button>
      </div>
    );
  }
  return (
    <div className={classes.actions}>
      {best !== null && (
        <Badge verdict={best === 100 ? 'delivered' : 'delayed'}>{t('card.best', { score: best })}</Badge>
      )}
      <Button
        size="xs"
        leftSection={<IconCheck size={15} />}
        disabled={isBusy}
        onClick={() => {
          if (session.rules.ends_with_check) {
            setAsked('finish');
          } else {
            onAct((deeds) => deeds.check());
          }
        }}
      >
        {t('check')}
      </Button>
      {!session.rules.ends_with_check && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconFlag size={15} />}
          disabled={isBusy}
          onClick={() => {
            setAsked('finish');
          }}
        >
          {t('finish')}
        </Button>
      )}
      {session.rules.has_solution && (
        <Button
          size="xs"
          variant="default"
          disabled={isBusy}
          onClick={() => {
            setAsked('giveUp');
          }}
        >
          {t('giveUp')}
        </Button>
      )}
    </div>
  );
}
