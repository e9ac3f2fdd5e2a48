// Assertions and their results, for tests.
import type { Assertion, AssertionPage, AssertionResult } from '@/contracts/api';

export function assertionResult(more: Partial<AssertionResult> = {}): AssertionResult {
  return {
    assertion_id: 1,
    name: 'Stock is asked',
    passed: true,
    failed: [],
    expected_text: 'it arrives in Lagerverwaltung',
    actual_text: 'it arrives in Lagerverwaltung',
    outcome: null,
    disposition: 'delivered',
    light: 'green',
    number: null,
    why: '',
    proof: [],
    ...more,
  };
}

export function assertion(more: Partial<Assertion> = {}): Assertion {
  return {
    id: 1,
    version: 1,
    name: 'Stock is asked',
    note: '',
    tags: [],
    is_enabled: true,
    state: 'passed',
    question: { instance: 'PARIS', database: 'Ventes', service: 'A', to_service: 'B', broker_instance: null },
    faults: [],
    at: null,
    expected: { works: true, disposition: 'delivered', reaches: [], path: null, number: null },
    expected_text: 'it arrives in Lagerverwaltung',
    created_by: 'tester',
    created_at: '2026-11-25T06:00:00Z',
    changed_by: 'tester',
    changed_at: '2026-11-25T06:00:00Z',
    last: assertionResult(),
    history: [],
    is_flaky: false,
    ...more,
  };
}

export function assertionPage(rows: Assertion[]): AssertionPage {
  const count = (state: Assertion['state']) => rows.filter((row) => row.state === state).length;
  return {
    rows,
    counts: {
      all: rows.length,
      passed: count('passed'),
      failed: count('failed'),
      never_run: count('never-run'),
      disabled: count('disabled'),
    },
    tags: [],
    last_run: null,
    page: 1,
    pages: 1,
  };
}
