import {
  IconArrowRight,
  IconBolt,
  IconCheck,
  IconClock,
  IconCopy,
  IconQuestionMark,
  IconX,
  type Icon,
} from '@tabler/icons-react';

import type { Verdict } from '@/theme/tokens';

import classes from './verdict-icon.module.css';

const icons: Record<Verdict, Icon> = {
  delivered: IconCheck,
  forwarded: IconArrowRight,
  delayed: IconClock,
  lost: IconX,
  error: IconBolt,
  unknown: IconQuestionMark,
  mirror: IconCopy,
};

/** A verdict's sign. Decoration: the word must stand beside it, or in the name of what carries it. */
export function VerdictIcon({ verdict, size = 16 }: { verdict: Verdict; size?: number }) {
  const Sign = icons[verdict];
  return (
    <span
      aria-hidden
      className={classes.icon}
      data-verdict={verdict}
      style={{ width: size, height: size, '--verdict': `var(--bw-verdict-${verdict})` }}
    >
      <Sign size={size * 0.7} stroke={3} />
    </span>
  );
}
