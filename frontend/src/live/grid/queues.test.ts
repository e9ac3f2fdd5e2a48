import { describe, expect, it } from 'vitest';

import { monitorState, queueCounts, queueKind } from './queues';
import { reader, type GridRow } from './rows';

const usual = {
  is_receive_enabled: true,
  is_activation_enabled: true,
  max_readers: 2,
  state: 'INACTIVE' as string | null,
  last_activated_time: null as number | null,
  tasks_waiting: 0 as number | null,
  active_tasks: 0,
  ready: 0,
  poisoned_at: null as number | null,
  activation_failed_at: null as number | null,
};
const read = reader(Object.keys(usual).map((name, at) => ({ id: name, name, type: 'int', isVendors: true, at })));
const row = (more: Partial<typeof usual> = {}): GridRow => ({
  key: '1',
  instance: 'PARIS',
  cells: Object.values({ ...usual, ...more }),
});
const now = 10_000;

describe('what a queue is', () => {
  it.each([
    ['quiet', {}],
    ['off', { is_receive_enabled: false }],
    ['poisoned', { is_receive_enabled: false, poisoned_at: 9_000, activation_failed_at: 9_000 }],
    ['failing', { last_activated_time: 9_000, activation_failed_at: 9_001, ready: 3 }],
    ['stuck', { state: 'NOTIFIED', last_activated_time: 9_900, active_tasks: 1, ready: 1 }],
    ['full', { state: 'RECEIVES_OCCURRING', active_tasks: 2, ready: 5 }],
    ['unwatched', { state: null }],
    ['reading', { state: 'RECEIVES_OCCURRING', active_tasks: 1, ready: 5 }],
    ['unread', { state: null, is_activation_enabled: false, ready: 4 }],
    ['quiet', { state: null, is_activation_enabled: false, max_readers: 0 }],
  ] as const)('%s', (kind, more) => {
    expect(queueKind(row(more), read, now)).toBe(kind);
  });

  it('a reader that was started a moment ago is not stuck, and what failed before the last start is over', () => {
    expect(
      queueKind(row({ state: 'NOTIFIED', last_activated_time: 9_990, active_tasks: 1, ready: 1 }), read, now),
    ).toBe('reading');
    expect(
      queueKind(
        row({ state: 'RECEIVES_OCCURRING', last_activated_time: 9_990, activation_failed_at: 9_000, active_tasks: 1 }),
        read,
        now,
      ),
    ).toBe('reading');
  });

  it('somebody who waits in WAITFOR reads, whoever started it', () => {
    expect(queueKind(row({ state: null, is_activation_enabled: false, tasks_waiting: 1, ready: 1 }), read, now)).toBe(
      'reading',
    );
  });

  it('a monitor that is not there is no state, and kinds are counted', () => {
    expect(monitorState(row({ state: null }), read)).toBeNull();
    expect(queueCounts([row(), row({ is_receive_enabled: false }), row()], read, now)).toEqual(
      new Map([
        ['quiet', 2],
        ['off', 1],
      ]),
    );
  });
});
