import { describe, expect, it } from 'vitest';

import { mirrorPairs, reasonOf, stateAt, type DefinedRoute } from './mirror-pairs';
import { reader, type GridRow } from './rows';
import type { Source } from './sources';

const names = [
  'service_name',
  'broker_instance',
  'address',
  'mirror_address',
  'state',
  'address_state',
  'mirror_address_state',
  'are_both_principal',
];
const read = reader(names.map((name, at) => ({ id: name, name, type: 'sysname', isVendors: false, at })));
const row = (
  instance: string,
  state: string,
  one: string,
  other: string,
  more: { isSwapped?: boolean; isBoth?: boolean } = {},
): GridRow => {
  const [first, second] = more.isSwapped === true ? ['lyon', 'berlin'] : ['berlin', 'lyon'];
  return {
    key: `${instance} 1`,
    instance,
    cells: ['Bücher', 'b-1', first, second, state, one, other, more.isBoth ?? false],
  };
};
const route = (instance: string, more: Partial<DefinedRoute> = {}): DefinedRoute => ({
  instance,
  service: 'Bücher',
  brokerInstance: 'B-1',
  address: 'berlin',
  mirrorAddress: 'lyon',
  at: 'BERLIN',
  mirrorAt: 'LYON',
  ...more,
});
const source = (instance: string, state: Source['state'] = 'known'): Source => ({
  instance,
  state,
  reason: '',
  number: null,
  since: null,
});

describe('mirrored pairs', () => {
  it('a route that has not been used is there, and nothing is claimed of its partners', () => {
    const [pair] = mirrorPairs([route('PARIS')], [], read, [source('PARIS')]);
    expect(pair).toMatchObject({ service: 'Bücher', observers: [{ row: null }] });
    expect(pair?.partners.map(({ instance }) => instance)).toEqual(['BERLIN', 'LYON']);
  });

  it('who names the addresses the other way round sees the same pair', () => {
    const swapped = route('HUB', { address: 'lyon', mirrorAddress: 'berlin', at: 'LYON', mirrorAt: 'BERLIN' });
    const rows = [
      row('PARIS', 'KNOWN(A)', 'CONNECTED_PRINCIPAL', 'INACTIVE'),
      row('HUB', 'KNOWN(M)', 'INACTIVE', 'CONNECTED_PRINCIPAL', { isSwapped: true }),
    ];
    const pairs = mirrorPairs([route('PARIS'), swapped], rows, read, [source('PARIS'), source('HUB')]);
    expect(pairs).toHaveLength(1);
    const states = pairs[0]?.observers.map(({ row: told }) => told && stateAt(told, read, 'berlin'));
    expect(states).toEqual(['CONNECTED_PRINCIPAL', 'CONNECTED_PRINCIPAL']);
  });

  it('a route that is told of and not defined any more is there too', () => {
    const pairs = mirrorPairs([], [row('PARIS', 'UNKNOWN', 'PROBING', 'PROBING')], read, [source('PARIS')]);
    expect(pairs[0]?.partners.map(({ instance }) => instance)).toEqual([null, null]);
  });

  it('who is not looked at is no observer', () => {
    expect(mirrorPairs([route('PARIS')], [], read, [source('HUB')])).toEqual([]);
  });

  it.each([
    ['flows', row('', 'KNOWN(A)', 'CONNECTED_PRINCIPAL', 'INACTIVE')],
    ['both', row('', 'KNOWN(M)', 'CONNECTED_PRINCIPAL', 'CONNECTED_PRINCIPAL', { isBoth: true })],
    ['idle', row('', 'KNOWN(A)', 'INACTIVE', 'INACTIVE')],
    ['principalAway', row('', 'KNOWN(A)', 'DISCONNECTED', 'PROBING')],
    ['bothAway', row('', 'SEARCHING', 'DISCONNECTED', 'DISCONNECTED')],
    ['nobodyClaims', row('', 'SEARCHING', 'DISCONNECTED', 'CONNECTED_MIRROR')],
    ['asking', row('', 'UNKNOWN', 'PROBING', 'PROBING')],
  ])('says why messages flow or wait: %s', (reason, told) => {
    expect(reasonOf(told, read)).toBe(reason);
  });
});
