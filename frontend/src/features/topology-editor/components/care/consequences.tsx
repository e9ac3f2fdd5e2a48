import type { ReactNode } from 'react';

import classes from './care.module.css';

/** What will be so afterwards, sentence by sentence, before it is done. */
export function Consequences({ of, children }: { of: string; children: readonly ReactNode[] }) {
  return (
    <section className={classes.consequences} aria-label={`What ${of} does`}>
      <h4>What happens</h4>
      <ul>
        {children.map((sentence, index) => (
          <li key={index}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}
