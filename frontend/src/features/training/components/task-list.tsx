import { useTranslation } from 'react-i18next';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { TrainingGrading, TrainingTask } from '@/contracts/api';

import classes from './training.module.css';

/** Each task with a sentence that says what was found. */
export function TaskList({ tasks }: { tasks: TrainingTask[] }) {
  const { t } = useTranslation('training');
  return (
    <ol className={classes.tasks} aria-label={t('tasks')}>
      {tasks.map((task) => (
        <li key={task.id} data-done={task.is_done}>
          <VerdictIcon verdict={task.is_done === null ? 'unknown' : task.is_done ? 'delivered' : 'delayed'} />
          <div>
            <strong>{task.title}</strong>
            <span className={classes.points}>
              {task.points === null
                ? t('pointsUntold', { most: task.points_max })
                : t('points', { points: Math.round(task.points * 10) / 10, most: task.points_max })}
            </span>
            {task.sentence !== '' && !saysChecks(task) && <p>{task.sentence}</p>}
            {task.checks.length > 1 && (
              <ul className={classes.checks}>
                {task.checks.map((check, at) => (
                  <li key={at} data-holds={check.holds}>
                    <VerdictIcon verdict={check.holds ? 'delivered' : 'delayed'} size={13} />
                    <span>{check.found}</span>
                  </li>
                ))}
              </ul>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Whether its sentence is what its checks, which are listed, say one by one. */
function saysChecks({ sentence, checks }: TrainingTask): boolean {
  return checks.length > 1 && checks.some(({ found }) => found !== '' && sentence.includes(found));
}

/** The score, and what it is without. */
export function Score({ grading }: { grading: TrainingGrading }) {
  const { t } = useTranslation('training');
  return (
    <div className={classes.score}>
      <p role="status">
        <strong data-full={grading.score === 100}>{t('score', { score: grading.score })}</strong> {grading.sentence}
      </p>
      {grading.hints_cost > 0 && <p className={classes.faint}>{t('hintsCost', { cost: grading.hints_cost })}</p>}
      {grading.collateral.length > 0 && (
        <div className={classes.collateral}>
          <strong>{t('collateral', { cost: grading.collateral_cost })}</strong>
          <ul>
            {grading.collateral.map((flow) => (
              <li key={flow}>{flow}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
