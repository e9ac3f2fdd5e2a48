import type { RungVerdict } from '@/live/ladder/ladder';
import type { Verdict } from '@/theme/tokens';

/** The sign and colour of each verdict; its word stands beside it. */
export const signs: Readonly<Record<RungVerdict, Verdict>> = {
  ok: 'delivered',
  warning: 'delayed',
  bad: 'lost',
  unknown: 'unknown',
  'not-allowed': 'unknown',
};
