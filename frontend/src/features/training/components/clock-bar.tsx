import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerSkipForward, IconPlayerTrackNext } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { TrainingClock, TrainingSession } from '@/contracts/api';
import { useNow } from '@/hooks/use-now';
import { useAbsoluteTime } from '@/lib/time';

import { clockText } from '../time-words';
import { useShownSeconds } from '../use-shown-seconds';
import type { RunWork } from '../use-run';
import classes from './clock-bar.module.css';

const rates = [1, 10, 60, 600] as const;
const stepSeconds = 30;
/** Before this nobody needs to care for what a run may take. */
const toldPercent = 80;

type Props = {
  session: TrainingSession;
  clock: TrainingClock;
  work: RunWork;
};

/** The time of the sandbox, and how fast it passes; whoever looks into another's turns no clock. */
export function ClockBar({ session, clock, work }: Props) {
  const { t } = useTranslation('training');
  const mayStop = session.rules.may_stop_clock;
  const isOwn = session.is_own;
  const shown = isOwn ? rates : [];
  const { going } = work;
  // What is on its way is answered before anything else is asked for, and what is used up stands still for good.
  const isBusy = work.isBusy || clock.is_used_up;
  const stands = clock.rate === 0 && going === null;
  return (
    <div className={classes.clock} role="group" aria-label={t('clock.label')}>
      <ShownTime clock={clock} readAt={work.run.dataUpdatedAt} />
      {!isOwn && <span className={classes.rate}>{clock.rate === 0 ? t('clock.stands') : `×${clock.rate}`}</span>}
      {isOwn && mayStop && (
        <Button
          size="compact-sm"
          variant={stands ? 'filled' : 'default'}
          aria-pressed={stands}
          disabled={isBusy && (going === null || going.isStopping)}
          leftSection={<IconPlayerPause size={14} />}
          onClick={() => {
            work.stop();
            work.act((deeds) => deeds.setRate(0));
          }}
        >
          {t('clock.pause')}
        </Button>
      )}
      {shown.map((rate) => (
        <Button
          key={rate}
          size="compact-sm"
          variant={clock.rate === rate ? 'filled' : 'default'}
          aria-pressed={clock.rate === rate}
          disabled={isBusy}
          aria-label={t('clock.rateNamed', { rate })}
          onClick={() => {
            work.act((deeds) => deeds.setRate(rate));
          }}
        >
          ×{rate}
        </Button>
      ))}
      {isOwn && mayStop && (
        <>
          <Button
            size="compact-sm"
            variant="default"
            disabled={isBusy}
            leftSection={<IconPlayerSkipForward size={14} />}
            aria-label={t('clock.step', { seconds: stepSeconds })}
            title={t('clock.step', { seconds: stepSeconds })}
            onClick={() => {
              work.pass(stepSeconds);
            }}
          >
            <span className={classes.wide}>{t('clock.step', { seconds: stepSeconds })}</span>
            <span className={classes.narrow}>+{stepSeconds} s</span>
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            disabled={isBusy}
            leftSection={<IconPlayerTrackNext size={14} />}
            aria-label={t('clock.jump')}
            title={t('clock.jump')}
            classNames={{ root: classes.jump, section: classes.sign }}
            onClick={() => {
              work.pass(null);
            }}
          >
            <span className={classes.wide}>{t('clock.jump')}</span>
          </Button>
        </>
      )}
      <Effort clock={clock} />
      {session.ends_by !== null && <Timer endsBy={session.ends_by} now={session.now} />}
    </div>
  );
}

/** What the clock of the sandbox shows, between what the server tells of it too. */
function ShownTime({ clock, readAt }: { clock: TrainingClock; readAt: number }) {
  const timeText = useAbsoluteTime();
  return (
    <span className={classes.time} title={timeText(Date.parse(clock.utc))} data-testid="sandbox-time">
      {clock.rate === 0 || clock.is_used_up ? (
        clockText(clock.seconds)
      ) : (
        <GoingTime key={clock.rate} clock={clock} readAt={readAt} />
      )}
    </span>
  );
}

function GoingTime({ clock, readAt }: { clock: TrainingClock; readAt: number }) {
  return clockText(useShownSeconds(clock, readAt));
}

/** Where the processor does not keep up, and how much of what a run may take is used. */
function Effort({ clock }: { clock: TrainingClock }) {
  const { t } = useTranslation('training');
  return (
    <>
      {clock.behind_seconds > 0 && (
        <span className={classes.effort}>{t('clock.behind', { seconds: Math.ceil(clock.behind_seconds) })}</span>
      )}
      {clock.used_percent >= toldPercent && (
        <span className={classes.effort}>{t('clock.used', { percent: clock.used_percent })}</span>
      )}
    </>
  );
}

/** How long an examination goes on, by the server's clock. */
function Timer({ endsBy, now }: { endsBy: string; now: string }) {
  const { t } = useTranslation('training');
  useNow();
  return (
    <span className={classes.timer} role="timer">
      {t('clock.left', { time: clockText((Date.parse(endsBy) - Date.parse(now)) / 1000) })}
    </span>
  );
}
