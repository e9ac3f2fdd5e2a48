import { useTranslation } from 'react-i18next';

import { Restoring } from '@/components/sandbox/restoring';
import { Badge } from '@/components/ui/badge';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { TrainingSession } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import type { RunWork } from '../use-run';
import { ClockBar } from './clock-bar';
import { EndButtons } from './end-buttons';
import { GoingOn } from './going-on';
import { Notice } from './notice';
import classes from './run-bar.module.css';
import { Waiting } from './waiting';

type Props = { session: TrainingSession; work: RunWork };

/** What is in view on every screen of a run: its clock, how it stands, and how it ends. */
export function RunBar({ session, work }: Props) {
  const { t } = useTranslation('training');
  const { clock, is_own: isOwn } = session;
  const { restoring, going, isBusy, error } = work;
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
        <ClockBar session={session} clock={clock} work={work} />
        {restoring !== null && <Restoring percent={restoring} />}
        {restoring === null && going !== null && <GoingOn going={going} onStop={work.stop} />}
        <Waiting isBusy={isBusy && restoring === null && going === null} />
        <span className={classes.spring} />
        <Standing session={session} />
        {isOwn && <EndButtons session={session} isBusy={isBusy} onAct={work.act} />}
      </div>
      {clock.notice !== null && (
        <div className={classes.failed}>
          <Notice notice={clock.notice} />
        </div>
      )}
      {error !== null && (
        <div className={classes.failed}>
          <ProblemPanel problem={asProblem(error)} />
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
        <span className={classes.best}>
          <Badge verdict={best === 100 ? 'delivered' : 'delayed'}>{t('card.best', { score: best })}</Badge>
        </span>
      )}
    </div>
  );
}
