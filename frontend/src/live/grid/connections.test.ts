import { describe, expect, it } from 'vitest';

import { byteSums, connectionKind, isIdle } from './connections';
import { reader, type GridRow } from './rows';

const names = ['state_desc', 'error', 'last_activity_time', 'total_bytes_sent', 'total_bytes_received'];
const read = reader(names.map((name, at) => ({ id: name, name, type: 'int', isVendors: true, at })));
const row = (...cells: unknown[]): GridRow => ({ key: 'HUB 1', instance: 'HUB', cells });

describe('a connection', () => {
  it.each([
    ['up', row('LOGGED_IN', null)],
    ['login', row('CONNECTING', null)],
    ['login', row('CONNECTED', null)],
    ['failing', row('CLOSED', 9754)],
    ['failing', row('CONNECTING', 9754)],
    ['closed', row('CLOSED', null)],
  ] as const)('is %s', (kind, told) => {
    expect(connectionKind(told, read)).toBe(kind);
  });

  it('is idle when nothing went over it for a minute, not when it is closed', () => {
    expect(isIdle(row('LOGGED_IN', null, 900), read, 1000)).toBe(true);
    expect(isIdle(row('LOGGED_IN', null, 990), read, 1000)).toBe(false);
    expect(isIdle(row('CLOSED', null, 900), read, 1000)).toBe(false);
  });

  it('has sums of bytes where they are known, and zero is known', () => {
    expect(byteSums([row('LOGGED_IN', null, 0, 0, null)], read)).toEqual({ 'HUB 1 total_bytes_sent': 0 });
  });
});
