import { describe, expect, it } from 'vitest';

import { demoEstate, names } from '@/testing/demo-estate';

import { flowsToPair } from './mirrored-flows';

describe('the flows to a mirrored pair', () => {
  it('are those that a mirrored route leads there, in the name of who begins dialogs', () => {
    const estate = demoEstate();
    const [pair] = estate.mirrors;
    expect(pair && flowsToPair(estate, pair)).toEqual([
      {
        instance: 'PARIS',
        database: 'Ventes',
        service: names.orders,
        to_service: '//beispiel.de/Lager/Bestand',
        broker_instance: names.mirrorId,
      },
    ]);
  });

  it('are none for a pair that no route names', () => {
    expect(
      flowsToPair(demoEstate(), { database: 'Other', broker_instance: 'f'.repeat(36), instances: ['LYON', 'HUB'] }),
    ).toEqual([]);
  });
});
