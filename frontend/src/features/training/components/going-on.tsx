import { Button, Progress } from '@mantine/core';
import { IconPlayerStop } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { clockText } from '../time-words';
import type { Going } from '../use-run';
import classes from './run-bar.module.css';

type Props = { going: Going; onStop: () => void };

/** How far a step or a jump has come that goes on by itself, and the way to have it end where it is. */
export function GoingOn({ going, onStop }: Props) {
  const { t } = useTranslation('training');
  const { fromSeconds, atSeconds, goalSeconds } = going;
  const way = Math.max(goalSeconds - fromSeconds, 1);
  const words = t('going.on', { at: clockText(atSeconds), goal: clockText(goalSeconds) });
  return (
    <div className={classes.going} role="group" aria-label={t('going.label')}>
      <Progress
        className={classes.progress}
        value={Math.min(100, (100 * (atSeconds - fromSeconds)) / way)}
        size="sm"
        aria-label={words}
      />
      <span>{words}</span>
      <Button
        size="compact-sm"
        variant="default"
        disabled={going.isStopping}
        leftSection={<IconPlayerStop size={14} />}
        onClick={onStop}
      >
        {t('going.stop')}
      </Button>
    </div>
  );
}
