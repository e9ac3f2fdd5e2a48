import { Progress } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import type { Run } from '@/contracts/api';

import { percentOf, shownState, stageText, verdictOfState } from '../runs';
import classes from './analytics.module.css';

/** How a run stands, in a word with its sign. */
export function StateBadge({ run }: { run: Pick<Run, 'state' | 'problem'> }) {
  const { t } = useTranslation('analytics');
  const state = shownState(run);
  return <Badge verdict={verdictOfState(state)}>{t(`state.${state}`)}</Badge>;
}

/** How far it is with what it is doing. */
export function RunProgress({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const percent = percentOf(run);
  const words = run.state === 'queued' && run.stage === '' ? t('state.queuedAbout') : stageText(run.stage);
  return (
    <div className={classes.progress} role="group" aria-label={t('progressLabel')}>
      <Progress value={percent ?? 100} animated={percent === null} aria-label={words} />
      <span role="status" className={classes.quiet}>
        {percent === null ? words : t('progress', { stage: words, percent: Math.floor(percent) })}
      </span>
    </div>
  );
}
