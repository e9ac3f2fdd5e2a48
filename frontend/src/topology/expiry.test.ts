import { describe, expect, it } from 'vitest';

import { database, demoEstate, instance, routeTo } from '@/testing/demo-estate';

import { expiryOf } from './expiry';

const now = Date.parse('2026-03-01T12:00:00Z');
const ends = (name: string, expires_at: string | null) => routeTo(name, 'LYON', { expires_at });

describe('routes that expire', () => {
  it('are those of the next 24 hours, the next one first; what is over is counted', () => {
    const routes = [
      ends('never', null),
      ends('tomorrow', '2026-03-02T12:00:00Z'),
      ends('later', '2026-03-02T12:00:01Z'),
      ends('soon', '2026-03-01T12:00:01Z'),
      ends('now', '2026-03-01T12:00:00Z'),
      ends('over', '2024-03-31T22:00:00Z'),
    ];
    const estate = { ...demoEstate(), instances: [instance('PARIS', [database('Ventes', 'a', { routes })])] };
    const { soon, expired } = expiryOf(estate, now);
    expect(soon.map(({ value }) => value.name)).toEqual(['soon', 'tomorrow']);
    expect(soon[0]).toMatchObject({ instance: 'PARIS', database: 'Ventes' });
    expect(expired).toBe(2);
  });
});
