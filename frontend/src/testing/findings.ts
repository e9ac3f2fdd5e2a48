// Findings for tests.
import type { Finding, Findings } from '@/contracts/api';

export function finding(more: Partial<Finding> = {}): Finding {
  return {
    key: 'a',
    code: 'SBD-102',
    number: 29931,
    severity: 'error',
    title: 'No route back to the initiator',
    subject: { instance: 'LYON', database: 'Archives', kind: 'database', name: 'Archives' },
    further: [],
    text: 'Database LYON.Archives has no way back to PARIS.Ventes.',
    why: 'Acknowledgements do not come back.',
    cure: 'Create a route in LYON.Archives.',
    fix: [],
    first_revision: 3,
    first_seen_at: '2026-01-01T00:00:00Z',
    suppression: null,
    ...more,
  };
}

export function findings(list: Finding[], more: Partial<Findings> = {}): Findings {
  const open = list.filter(({ suppression }) => suppression === null);
  const count = (severity: Finding['severity']) => open.filter((one) => one.severity === severity).length;
  return {
    revision: 3,
    change_set: null,
    errors: count('error'),
    warnings: count('warning'),
    infos: count('info'),
    suppressed: list.length - open.length,
    total: list.length,
    page: 1,
    pages: 1,
    findings: list,
    by_object: open.map(({ subject, severity }) => ({ subject, severity, count: 1 })),
    checked: [
      { code: 'SBD-101', title: 'No route to the target' },
      { code: 'SBD-102', title: 'No route back to the initiator' },
    ],
    unchecked: [{ code: 'SBD-121', title: 'Availability groups', reason: 'The model has no availability groups.' }],
    ...more,
  };
}
