import type { ReactNode } from 'react';

import type { Verdict } from '@/theme/tokens';

import classes from './badge.module.css';
import { VerdictIcon } from './verdict-icon';

/** A small word with a verdict's sign, or, without one, a neutral word. */
export function Badge({ verdict, children }: { verdict?: Verdict | undefined; children: ReactNode }) {
  return (
    <span
      className={classes.badge}
      style={verdict && { '--verdict': `var(--bw-verdict-${verdict})` }}
      data-toned={verdict !== undefined}
    >
      {verdict !== undefined && <VerdictIcon verdict={verdict} size={13} />}
      {children}
    </span>
  );
}
