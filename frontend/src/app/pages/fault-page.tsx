import { Button } from '@mantine/core';
import { useRouteError } from 'react-router';

import { asProblem } from '@/lib/errors';

import classes from './fault-page.module.css';

/** What is left when a page breaks: the reason, and a way back. */
export function FaultPage() {
  const { why } = asProblem(useRouteError());
  return (
    <main className={classes.page} role="alert">
      <h1>This page failed</h1>
      <p>Nothing in the estate was changed by it. The reason, for a report:</p>
      <pre>{why}</pre>
      <Button
        onClick={() => {
          window.location.assign('/');
        }}
      >
        Start again
      </Button>
    </main>
  );
}
