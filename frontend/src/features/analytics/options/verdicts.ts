// What the audit says of messages, counted.
import type { Verdict } from '@/theme/tokens';

import type { Row } from './records';
import { countOf } from './records';

/** What is not exactly once in order; then what cannot be called so. */
export const broken = ['lost', 'doubled', 'forked', 'reordered', 'unsent'] as const;
export const open = ['unacknowledged', 'held', 'over', 'unseen'] as const;
export const auditVerdicts = [...broken, ...open] as const;
export type AuditVerdict = (typeof auditVerdicts)[number];

export const signOf: Record<AuditVerdict, Verdict> = {
  lost: 'lost',
  doubled: 'error',
  forked: 'error',
  reordered: 'error',
  unsent: 'error',
  unacknowledged: 'delayed',
  held: 'delayed',
  over: 'unknown',
  unseen: 'unknown',
};

export type Audit = {
  sent: number;
  directions: number;
  broken: number;
  counts: Record<AuditVerdict, number>;
};

/** Sums over the rows of table `summary`. */
export function auditOf(rows: readonly Row[]): Audit {
  const sum = (name: string) => rows.reduce((all, row) => all + countOf(row, name), 0);
  const counts = Object.fromEntries(auditVerdicts.map((verdict) => [verdict, sum(verdict)])) as Audit['counts'];
  return {
    sent: sum('sent'),
    directions: sum('directions'),
    broken: broken.reduce((all, verdict) => all + counts[verdict], 0),
    counts,
  };
}
