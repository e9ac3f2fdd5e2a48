import { Button, CopyButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { problemLine, problemText, type Problem } from '@/lib/errors';

import classes from './problem-panel.module.css';
import { VerdictIcon } from './verdict-icon';

/** An error: its number, what happened, why, what to do, and all of it for the clipboard. */
export function ProblemPanel({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  const { t } = useTranslation('common');
  return (
    <div role="alert" className={classes.panel}>
      <VerdictIcon verdict="error" size={18} />
      <div className={classes.text}>
        <strong>{problemLine(problem)}</strong>
        {problem.why !== '' && <p>{problem.why}</p>}
        {problem.cure !== '' && <p className={classes.cure}>{problem.cure}</p>}
        <div className={classes.actions}>
          {onRetry !== undefined && (
            <Button variant="default" size="compact-xs" onClick={onRetry}>
              {t('retry')}
            </Button>
          )}
          <CopyButton value={problemText(problem)}>
            {({ copied, copy }) => (
              <Button variant="subtle" color="gray" size="compact-xs" onClick={copy}>
                {copied ? t('copied') : t('copy')}
              </Button>
            )}
          </CopyButton>
        </div>
      </div>
    </div>
  );
}
