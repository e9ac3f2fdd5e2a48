import type { ReactNode } from 'react';

import classes from './empty-state.module.css';

/** Nothing to show: one sentence, and at most one thing to do about it. */
export function EmptyState({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className={classes.empty}>
      <p>{children}</p>
      {action}
    </div>
  );
}
