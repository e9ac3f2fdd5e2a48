// What rows of connections mean: sys.dm_broker_connections, and addresses to which there is none.
import type { GridRow, Read } from './rows';

/**
 * `failing`: there is none, because of an error. `login`: not logged in yet. `up`: logged in. `closed`: there is none,
 * and nobody wants one.
 */
export const connectionKinds = ['failing', 'login', 'up', 'closed'] as const;

export type ConnectionKind = (typeof connectionKinds)[number];

/** Above so many seconds without traffic a connection counts as idle; the other side closes it one day (9760). */
export const idleSeconds = 60;

export function connectionKind(row: GridRow, read: Read): ConnectionKind {
  if (typeof read(row, 'error') === 'number') {
    return 'failing';
  }
  switch (read(row, 'state_desc')) {
    case 'LOGGED_IN':
      return 'up';
    case 'CLOSED':
      return 'closed';
    default:
      return 'login';
  }
}

/** Whether an open connection has not been used for a while, at a moment in seconds since 1970. */
export function isIdle(row: GridRow, read: Read, now: number): boolean {
  const last = read(row, 'last_activity_time');
  return connectionKind(row, read) === 'up' && typeof last === 'number' && now - last > idleSeconds;
}

/** The sums of bytes by row and direction, of which rates are made. */
export function byteSums(rows: readonly GridRow[], read: Read): Record<string, number> {
  return Object.fromEntries(
    rows.flatMap((row) =>
      byteColumns.flatMap((id): [string, number][] => {
        const value = read(row, id);
        return typeof value === 'number' ? [[`${row.key} ${id}`, value]] : [];
      }),
    ),
  );
}

export const byteColumns = ['total_bytes_sent', 'total_bytes_received'] as const;
