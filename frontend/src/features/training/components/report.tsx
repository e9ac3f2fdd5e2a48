import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Section } from '@/components/ui/section';
import type { TrainingEnd, TrainingSession, TrainingStep } from '@/contracts/api';

import { Replay } from './replay';
import { Score, TaskList } from './task-list';
import classes from './training.module.css';

/** What came of a run: each task with its sentence, the explanation, the solution, and the run once more. */
export function Report({ session, end }: { session: TrainingSession; end: TrainingEnd }) {
  const { t } = useTranslation('training');
  const [isPlaying, setPlaying] = useState(false);
  return (
    <div className={classes.report}>
      <div className={classes.column}>
        <Section title={t('report.heading')}>
          {session.run.has_given_up && <p>{t('report.givenUp')}</p>}
          {session.grading !== null && <Score grading={session.grading} />}
          <TaskList tasks={session.tasks} />
        </Section>
        <div className={classes.actions}>
          <Button size="xs" component={Link} to="/training">
            {t('report.back')}
          </Button>
          {session.is_own && !isPlaying && (
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                setPlaying(true);
              }}
            >
              {t('report.replay')}
            </Button>
          )}
        </div>
        {isPlaying && <Replay session={session.run.id} />}
      </div>
      <div className={classes.column}>
        <Section title={t('report.explanation')}>
          <p className={classes.prose}>{end.explanation}</p>
        </Section>
        {end.lessons.length > 0 && (
          <Section title={t('report.lessons')}>
            <ul className={classes.prose}>
              {end.lessons.map(({ id, title }) => (
                <li key={id}>
                  <Link to={`/training/lessons/${id}`}>{title}</Link>
                </li>
              ))}
            </ul>
          </Section>
        )}
        <Section title={t('report.solution')}>
          <Steps steps={end.solution} />
        </Section>
        <Section title={t('report.wrongTurns')}>
          <ul className={classes.prose}>
            {end.wrong_turns.map(({ text }) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Section>
      </div>
    </div>
  );
}

function Steps({ steps }: { steps: TrainingStep[] }) {
  const { t } = useTranslation('training');
  return (
    <ol className={classes.steps}>
      {steps.map((step, at) => (
        <li key={at}>
          {step.sql === null ? (
            t('report.wait', { seconds: step.wait_seconds ?? 0 })
          ) : (
            <>
              <span className={classes.faint}>
                {step.instance} · {step.database}
              </span>
              {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard */}
              <pre tabIndex={0}>{step.sql.trim()}</pre>
            </>
          )}
        </li>
      ))}
    </ol>
  );
}
