// Runs and tables of analytics for tests.
import type { Lake, Run } from '@/contracts/api';

export function lake(more: Partial<Lake> = {}): Lake {
  return {
    is_available: true,
    events: 2_100_000,
    first_at: '2026-11-19T08:00:00Z',
    last_at: '2026-11-26T09:00:00Z',
    files: 12,
    bytes: 48_000_000,
    exported_at: '2026-11-26T09:01:00Z',
    instances: [
      {
        instance: 'PARIS',
        events: 2_100_000,
        last_number: 2_100_003,
        exported_at: '2026-11-26T09:01:00Z',
        waiting: 41,
        lost: 3,
        problem: null,
      },
    ],
    ...more,
  };
}

export function analyticsRun(more: Partial<Run> = {}): Run {
  return {
    id: '0b6f6a52-8d1e-4b57-9a4e-1f2d7b6c5e01',
    job: 'delivery',
    since: null,
    until: null,
    revisions: [118, 121],
    change_set: null,
    examples: null,
    owner: 'ana',
    state: 'done',
    stage: '',
    done: 0,
    total: 0,
    heartbeat_at: '2026-11-26T09:14:00Z',
    created_at: '2026-11-26T09:13:00Z',
    started_at: '2026-11-26T09:13:10Z',
    ended_at: '2026-11-26T09:14:00Z',
    problem: null,
    engine_version: '1.2.3',
    rows_in: [{ name: 'events', rows: 2_100_000 }],
    tables: [
      { name: 'messages', rows: 700_000, checksum: '81b1aa', columns: ['conversation_id'], seconds: 20.4 },
      { name: 'hourly', rows: 2, checksum: '4f22cc', columns: ['hour_at', 'messages'], seconds: 1 },
    ],
    notes: [],
    bytes: 9_000_000,
    ...more,
  };
}
