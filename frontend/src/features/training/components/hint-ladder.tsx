import { Button } from '@mantine/core';
import { IconBulb } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import type { TrainingSession } from '@/contracts/api';

import type { Act } from '../use-run';
import classes from './training.module.css';

type Props = {
  session: TrainingSession;
  isBusy: boolean;
  onAct: Act;
};

/** Hints that were taken, and the button for the next one with what it costs. */
export function HintLadder({ session, isBusy, onAct }: Props) {
  const { t } = useTranslation('training');
  if (session.hints_total === 0) {
    return <p className={classes.faint}>{t('hint.none')}</p>;
  }
  const next = session.hints.length + 1;
  return (
    <>
      <ol className={classes.hints}>
        {session.hints.map((hint) => (
          <li key={hint.text}>
            <p>{hint.text}</p>
            {hint.lesson !== null && (
              <p className={classes.faint}>
                {/* Beside the run, which goes on. */}
                <Link to={`/training/lessons/${hint.lesson.id}`} target="_blank">
                  {t('hint.lesson', { title: hint.lesson.title })}
                </Link>
              </p>
            )}
          </li>
        ))}
      </ol>
      {session.is_own && next <= session.hints_total && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconBulb size={15} />}
          disabled={isBusy}
          onClick={() => {
            onAct((deeds) => deeds.hint());
          }}
        >
          {session.next_hint_cost === null
            ? t('hint.free', { level: next })
            : t('hint.take', { level: next, cost: session.next_hint_cost })}
        </Button>
      )}
    </>
  );
}
