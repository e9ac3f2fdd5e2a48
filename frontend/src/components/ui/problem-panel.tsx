import { Button, CopyButton } from '@mantine/core';

import { problemLine, problemText, type Problem } from '@/lib/errors';

import classes from './problem-panel.module.css';
import { VerdictIcon } from './verdict-icon';

/** An error: its number, what happened, why, what to do, and all of it for the clipboard. */
export function ProblemPanel({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
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
              Try again
            </Button>
          )}
          <CopyButton value={problemText(problem)}>
            {({ copied, copy }) => (
              <Button variant="subtle" color="gray" size="compact-xs" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </div>
      </div>
    </div>
  );
}
