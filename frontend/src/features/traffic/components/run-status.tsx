import { Progress } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import type { TrafficRun } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { numberText } from '@/i18n';
import { useAbsoluteTime } from '@/lib/time';

import { estateBytesMax, estateRateMax, isBounded, type TrafficSettings } from '../settings';
import classes from './traffic.module.css';

type Props = {
  run: TrafficRun;
  pairs: number;
  settings: TrafficSettings;
  isBusy: boolean;
  onStart: () => void;
  onStop: () => void;
};

/** What is going on, and the one button that changes it. */
export function RunStatus({ run, pairs, settings, isBusy, onStart, onStop }: Props) {
  const { t } = useTranslation(['traffic', 'components']);
  const missing = useMissingRight('operate');
  const tooMuch = useTooMuch(pairs, settings);
  const runs = run.state === 'running';
  return (
    <section className={classes.status} aria-label={t('status.label')}>
      <p role="status" className={classes.state} data-state={run.state}>
        {t(`status.${runs && !run.is_generated ? 'waiting' : run.state}`)}
      </p>
      {runs || run.state === 'stopping' ? (
        <GuardedButton
          barred={missing ?? (run.state === 'stopping' ? t('stopping') : null)}
          color="red"
          leftSection={<IconPlayerStop size={16} />}
          loading={isBusy}
          onClick={onStop}
        >
          {t('stop')}
        </GuardedButton>
      ) : (
        <GuardedButton
          barred={
            missing ?? (pairs === 0 ? t('choosePair') : isBounded(settings) ? tooMuch : t('components:boundsFirst'))
          }
          leftSection={<IconPlayerPlay size={16} />}
          loading={isBusy}
          onClick={onStart}
        >
          {t('start', { count: pairs })}
        </GuardedButton>
      )}
      {run.plan !== null && <Achieved run={run} asked={run.plan.rate * run.plan.pairs.length} />}
    </section>
  );
}

/** Why so much is not taken; the server says the same. */
function useTooMuch(pairs: number, { rate, size }: TrafficSettings): string | null {
  const { t } = useTranslation('traffic');
  const all = pairs * rate;
  if (all > estateRateMax) {
    return t('tooMany', { rate: all, most: estateRateMax });
  }
  return all * size > estateBytesMax ? t('tooLarge', { most: estateBytesMax }) : null;
}

function Achieved({ run, asked }: { run: TrafficRun; asked: number }) {
  const { t } = useTranslation('traffic');
  const absoluteTime = useAbsoluteTime();
  const sum = (name: 'sent' | 'received' | 'answered' | 'failed') =>
    run.pairs.reduce((all, pair) => all + pair[name], 0);
  return (
    <>
      <div className={classes.rate}>
        <span>{t('achieved', { rate: run.rate, asked })}</span>
        <Progress value={Math.min((100 * run.rate) / asked, 100)} size="sm" aria-label={t('achievedLabel')} />
      </div>
      <dl className={classes.sums}>
        {(['sent', 'received', 'answered', 'failed'] as const).map((name) => (
          <div key={name} data-name={name} data-any={sum(name) > 0}>
            <dt>{t(`figure.${name}`)}</dt>
            <dd>{numberText(sum(name))}</dd>
          </div>
        ))}
      </dl>
      {run.started_at !== null && (
        <p className={classes.note}>
          {t('startedBy', { name: run.started_by ?? t('somebody'), time: absoluteTime(Date.parse(run.started_at)) })}
          {run.stopped_at !== null && ` ${t('stoppedAt', { time: absoluteTime(Date.parse(run.stopped_at)) })}`}
        </p>
      )}
      {run.left_open > 0 && <p className={classes.note}>{t('leftOpen', { count: run.left_open })}</p>}
    </>
  );
}
