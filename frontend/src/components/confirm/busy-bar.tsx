import { Progress } from '@mantine/core';

import classes from './confirm.module.css';

/** A bar while an instance works on something that takes as long as the database is large. */
export function BusyBar({ children }: { children: string }) {
  return (
    <div className={classes.busy} role="status">
      <span>{children}</span>
      <Progress value={100} animated size="sm" aria-label={children} />
    </div>
  );
}
