import { describe, expect, it } from 'vitest';

import { demoEstate } from '@/testing/demo-estate';

import type { Fault } from './faults';
import { pairStateOf, partnersOf, withPairState } from './pair-states';

const estate = demoEstate();
const [pair] = estate.mirrors;
const partners = pair === undefined ? [] : partnersOf(estate, pair);
const elsewhere: Fault = { kind: 'endpoint', instance: 'HUB' };

describe('a mirrored pair under faults', () => {
  it('has the principal first', () => {
    expect(partners).toEqual([
      { instance: 'BERLIN', database: 'Lagerbestand', isMirror: false },
      { instance: 'LYON', database: 'Lagerbestand', isMirror: true },
    ]);
  });

  it('goes from state to state and leaves other faults alone', () => {
    const over = withPairState([elsewhere], partners, 'failed-over');
    expect(over).toEqual([elsewhere, { kind: 'partner', instance: 'BERLIN', database: 'Lagerbestand' }]);
    expect(pairStateOf(over, partners)).toBe('failed-over');

    const down = withPairState(over, partners, 'both-down');
    expect(pairStateOf(down, partners)).toBe('both-down');
    expect(down.some(({ kind }) => kind === 'partner')).toBe(false);

    expect(withPairState(down, partners, 'as-is')).toEqual([elsewhere]);
    expect(pairStateOf([elsewhere], partners)).toBe('as-is');
  });

  it('has failed over from whichever side that is said', () => {
    expect(pairStateOf([{ kind: 'partner', instance: 'LYON', database: 'Lagerbestand' }], partners)).toBe(
      'failed-over',
    );
    expect(pairStateOf([{ kind: 'partner', instance: 'LYON', database: 'Ventes' }], partners)).toBe('as-is');
  });

  it('is down with both servers, and not with one', () => {
    const berlin: Fault = { kind: 'instance', instance: 'BERLIN' };
    const lyon: Fault = { kind: 'instance', instance: 'LYON' };
    expect(pairStateOf([berlin], partners)).toBe('as-is');
    expect(pairStateOf([berlin, lyon], partners)).toBe('both-down');
    expect(withPairState([berlin, lyon], partners, 'as-is')).toEqual([]);
    expect(withPairState([berlin], partners, 'failed-over')).toContainEqual(berlin);
  });
});
