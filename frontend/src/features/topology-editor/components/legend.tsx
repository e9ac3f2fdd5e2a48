import type { ReactNode } from 'react';

import { VerdictIcon } from '@/components/ui/verdict-icon';

import classes from './legend.module.css';

function Line({ kind }: { kind: 'whole' | 'principal' | 'mirror' | 'expired' | 'pending' }) {
  return (
    <svg width="44" height="12" className={classes.line} data-kind={kind} aria-hidden>
      <path d="M 1 6 H 36" />
      <path d="M 34 2 L 42 6 L 34 10 Z" className={classes.tip} />
    </svg>
  );
}

const entries: { sign: ReactNode; text: string }[] = [
  { sign: <span className={classes.gate} />, text: 'msdb, the gate: routes of what arrives from the network' },
  { sign: <Line kind="whole" />, text: 'A route, from the database whose table holds it to its address' },
  { sign: <Line kind="principal" />, text: 'A mirrored route to the principal' },
  { sign: <Line kind="mirror" />, text: 'The same route to the mirror' },
  { sign: <Line kind="expired" />, text: 'An expired route: it matches nothing any more' },
  { sign: <Line kind="pending" />, text: 'A change that the instance has not applied yet' },
  { sign: <span className={classes.ghost} />, text: 'An address that belongs to no instance of this estate' },
  { sign: <span className={classes.star}>∗</span>, text: 'Any service' },
  { sign: <VerdictIcon verdict="delivered" />, text: 'Listening' },
  { sign: <VerdictIcon verdict="delayed" />, text: 'Listening, but messages are held up' },
  { sign: <VerdictIcon verdict="lost" />, text: 'Endpoint stopped or missing' },
  { sign: <VerdictIcon verdict="unknown" />, text: 'Not known' },
];

/** The key to the drawing's signs. */
export function Legend() {
  return (
    <div>
      <h3 className={classes.title}>How to read this</h3>
      <ul className={classes.list}>
        {entries.map(({ sign, text }) => (
          <li key={text}>
            <span className={classes.sign}>{sign}</span>
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}
