import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { TrainingSession } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import type { Act, useRun } from '../use-run';
import { ClockBar } from './clock-bar';
import { EndButtons } from './end-buttons';
import classes from './run-bar.module.css';
import { Waiting } from './waiting';

type Props = { session: TrainingSession; deed: ReturnType<typeof useRun>['deed'] };

/** What is in view on every screen of a run: its clock, how it stands, and how it ends. */
export function RunBar({ session, deed }: Props) {
  const { t } = useTranslation('training');
  const { clock, is_own: isOwn } = session;
  const onAct: Act = (act) => {
    deed.mutate(act);
  };
  if (clock === null) {
    return (
      <div className={classes.bar}>
        <span>{t('sandbox.over')}</span>
        <Standing session={session} />
      </div>
    );
  }
  return (
    <>
      <div className={classes.bar}>
        <ClockBar session={session} clock={clock} isBusy={deed.isPending} onAct={onAct} />
        <Waiting isBusy={deed.isPending} />
        <span className={classes.spring} />
        <Standing session={session} />
        {isOwn && <EndButtons session={session} isBusy={deed.isPending} onAct={onAct} />}
      </div>
      {deed.error !== null && (
        <div className={classes.failed}>
          <ProblemPanel problem={asProblem(deed.error)} />
        </div>
      )}
    </>
  );
}

/** The score as it would be now, what has been taken off it, and the best that was kept. */
function Standing({ session: { grading, run } }: { session: TrainingSession }) {
  const { t } = useTranslation('training');
  const best = run.best_score;
  return (
    <div className={classes.standing} role="group" aria-label={t('standing.label')}>
      {grading !== null && (
        <>
          <strong className={classes.score} title={grading.sentence}>
            {t('score', { score: grading.score })}
          </strong>
          {grading.hints_cost > 0 && (
            <span className={classes.cost}>{t('standing.hints', { cost: grading.hints_cost })}</span>
          )}
          {grading.collateral_cost > 0 && (
            <span className={classes.cost} data-tone="lost">
              {t('standing.collateral', { cost: grading.collateral_cost })}
            </span>
          )}
        </>
      )}
      {best !== null && (
        <Badge verdict={best === 100 ? 'delivered' : 'delayed'}>{t('card.best', { score: best })}</Badge>
      )}
    </div>
  );
}
