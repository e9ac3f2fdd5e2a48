// What rows of queues mean: whether somebody reads them, and if not, why (protocol.md 14, 17; diagnose.md 3).
import type { GridRow, Read } from './rows';

/**
 * `poisoned`, `off`: nothing can be received. `failing`: the last reader was aborted. `stuck`: a reader was started and
 * does not receive. `full`: as many readers as may be, and messages wait. `unwatched`: activation is on, and there is
 * no monitor. `unread`: messages wait and nobody reads. `reading`: readers are at work. `quiet`: nothing to do.
 */
export const queueKinds = [
  'poisoned',
  'off',
  'failing',
  'stuck',
  'full',
  'unwatched',
  'unread',
  'reading',
  'quiet',
] as const;

export type QueueKind = (typeof queueKinds)[number];

/** States of `sys.dm_broker_queue_monitors`. */
export const monitorStates = ['INACTIVE', 'NOTIFIED', 'RECEIVES_OCCURRING'] as const;

export type MonitorState = (typeof monitorStates)[number];

/** How long a reader that was started may take before it receives (SBD-614). */
export const patienceSeconds = 60;

/** What is most worth to be said of a queue at a moment, in seconds since 1970. */
export function queueKind(row: GridRow, read: Read, now: number): QueueKind {
  const number = (id: string) => Number(read(row, id) ?? 0);
  const time = (id: string) => {
    const value = read(row, id);
    return typeof value === 'number' ? value : null;
  };
  if (read(row, 'is_receive_enabled') === false) {
    return time('poisoned_at') === null ? 'off' : 'poisoned';
  }
  const [failed, activated, state] = [
    time('activation_failed_at'),
    time('last_activated_time'),
    monitorState(row, read),
  ];
  if (failed !== null && failed >= (activated ?? 0)) {
    return 'failing';
  }
  if (state === 'NOTIFIED' && number('ready') > 0 && activated !== null && now - activated > patienceSeconds) {
    return 'stuck';
  }
  if (number('ready') > 0 && number('active_tasks') > 0 && number('active_tasks') >= number('max_readers')) {
    return 'full';
  }
  if (state === null && read(row, 'is_activation_enabled') === true) {
    return 'unwatched';
  }
  if (state === 'RECEIVES_OCCURRING' || number('active_tasks') > 0 || number('tasks_waiting') > 0) {
    return 'reading';
  }
  return number('ready') > 0 && state === null ? 'unread' : 'quiet';
}

export function monitorState(row: GridRow, read: Read): MonitorState | null {
  const told = read(row, 'state');
  return monitorStates.find((state) => state === told) ?? null;
}

/** How many rows are of each kind. */
export function queueCounts(rows: readonly GridRow[], read: Read, now: number): ReadonlyMap<QueueKind, number> {
  const counts = new Map<QueueKind, number>();
  for (const row of rows) {
    const kind = queueKind(row, read, now);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}
