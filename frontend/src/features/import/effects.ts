// What statements do, the ones to be looked at first in front.
import type { ImportRow } from '@/contracts/api';
import type { Verdict } from '@/theme/tokens';

import type { ImportOutcome } from './api/import-run';
import { allRows } from './left-out';

export type Effect = ImportRow['effect'];

export const effectOrder: readonly Effect[] = ['error', 'add', 'change', 'remove', 'same', 'ignored'];

export const verdictOf: Record<Effect, Verdict | undefined> = {
  add: 'delivered',
  change: 'forwarded',
  remove: 'lost',
  same: undefined,
  ignored: undefined,
  error: 'error',
};

/** How many statements have each effect; a long import has counted them itself. */
export function countEffects(report: ImportOutcome): Partial<Record<Effect, number>> {
  const rows = allRows(report);
  const counts: Partial<Record<Effect, number>> = {};
  for (const { effect } of rows) {
    counts[effect] = (counts[effect] ?? 0) + 1;
  }
  return report.counts === undefined
    ? counts
    : { ...report.counts, ...(counts.error === undefined ? {} : { error: counts.error }) };
}
