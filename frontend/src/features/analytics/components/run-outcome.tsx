import { IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Run } from '@/contracts/api';
import { useNow } from '@/hooks/use-now';
import { useMissingRight } from '@/hooks/use-rights';
import { ageText } from '@/live/age';
import { readProblem } from '@/lib/errors';
import { relativeTime, useAbsoluteTime } from '@/lib/time';

import { isUnderWay, rangeText, shownState } from '../runs';
import classes from './analytics.module.css';
import { RunProgress, StateBadge } from './state-badge';
import { useBarredFrom, useRunActions } from './use-run-actions';

/** A run that has no result: how far it is, or why there is none, and what to do. */
export function RunOutcome({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const missing = useMissingRight('operate');
  const barred = useBarredFrom(run);
  const { cancel, again } = useRunActions();
  if (isUnderWay(run)) {
    return (
      <section className={classes.part} aria-label={t('runs.state')}>
        <div>
          <StateBadge run={run} />
        </div>
        <RunProgress run={run} />
        <Since run={run} />
        <div>
          <GuardedButton
            barred={barred}
            variant="default"
            leftSection={<IconPlayerStop size={15} />}
            disabled={run.state === 'cancelling' || cancel.isPending}
            onClick={() => {
              cancel.mutate(run.id);
            }}
          >
            {t('run.cancel')}
          </GuardedButton>
        </div>
      </section>
    );
  }
  const state = shownState(run);
  return (
    <section className={classes.part} aria-label={t('runs.state')}>
      <div>
        <StateBadge run={run} />
      </div>
      {state === 'lost' && <Lost run={run} />}
      {state === 'failed' && <ProblemPanel problem={readProblem(400, { title: t('state.failed'), ...run.problem })} />}
      {state === 'cancelled' && <p className={classes.plain}>{t('run.cancelled')}</p>}
      <p className={classes.quiet}>{rangeText(run)}</p>
      <div>
        <GuardedButton
          barred={missing}
          leftSection={<IconRefresh size={15} />}
          loading={again.isPending}
          onClick={() => {
            again.mutate(run.id);
          }}
        >
          {t('run.resubmit')}
        </GuardedButton>
      </div>
    </section>
  );
}

/** When its worker was heard of last: nobody knows what became of it. */
function Lost({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const timeText = useAbsoluteTime();
  const { heartbeat_at: at } = run;
  return (
    <p className={classes.plain} role="alert">
      {t('run.lost', { heard: at === null ? 'never' : 'once', at: at === null ? '' : timeText(Date.parse(at)) })}
    </p>
  );
}

function Since({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const now = useNow();
  const { started_at: started, heartbeat_at: heard } = run;
  if (started === null) {
    return <p className={classes.quiet}>{t('state.queuedAbout')}</p>;
  }
  return (
    <p className={classes.quiet}>
      {t('run.since', {
        age: ageText((now - Date.parse(started)) / 1000),
        heard: heard === null ? '–' : relativeTime(Date.parse(heard), now),
      })}
    </p>
  );
}
