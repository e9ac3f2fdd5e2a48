import { describe, expect, it } from 'vitest';

import type { Estate } from '@/contracts/api';
import type { LiveInstance } from '@/live/compose';
import { database, databaseView, demoEstate, instance, instanceView } from '@/testing/demo-estate';

import { changedRoles, withRoles } from './live-roles';

function pair(): Estate {
  return {
    ...demoEstate(),
    instances: [
      instance('BERLIN', [database('Stock', 'c', { partner_address: 'TCP://lyon:4022' }), database('Einkauf', 'd')]),
      instance('LYON', [database('Stock', 'c', { partner_address: 'TCP://berlin:4022', state: 'mirror' })]),
    ],
  };
}

function live(states: Record<string, 'online' | 'mirror'>): Record<string, LiveInstance> {
  return Object.fromEntries(
    Object.entries(states).map(([name, state]) => [
      name,
      {
        sequence: 1,
        seenAt: 0,
        unavailable: null,
        isCurrent: true,
        view: instanceView(name, {
          databases: [databaseView('Stock', { state }), databaseView('Einkauf', { state: 'online' })],
        }),
      },
    ]),
  );
}

describe('roles of mirrored databases', () => {
  it('are those of the topology until an instance says otherwise', () => {
    const estate = pair();
    expect(changedRoles(estate, {})).toBe('');
    expect(changedRoles(estate, live({ BERLIN: 'online', LYON: 'mirror' }))).toBe('');
    expect(withRoles(estate, '')).toBe(estate);
  });

  it('follow a failover', () => {
    const estate = pair();
    const after = withRoles(estate, changedRoles(estate, live({ BERLIN: 'mirror', LYON: 'online' })));
    expect(after.instances.flatMap((one) => one.databases.map((each) => each.state))).toEqual([
      'mirror',
      'online',
      'online',
    ]);
  });
});
