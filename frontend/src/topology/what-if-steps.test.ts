import { describe, expect, it } from 'vitest';

import { answer, back, hop, there, undeliverable } from '@/testing/answers';

import {
  firstStage,
  moved,
  placeOf,
  played,
  stagesOf,
  start,
  stepsOf,
  within,
  type Move,
  type Position,
} from './what-if-steps';

const told = answer();
const steps = stepsOf(told, start);
const at = (leg: Position['leg'], hopAt: number | null, stage: Position['stage'] = null): Position => ({
  leg,
  way: 0,
  hop: hopAt,
  stage,
});

describe('the steps of a round trip', () => {
  it('are the hops of all four legs, in their order', () => {
    expect(steps.map(({ leg, hop: each }) => `${leg} ${each}`)).toEqual([
      'message 0',
      'message 1',
      'message 2',
      'acknowledgement 0',
      'acknowledgement 1',
      'acknowledgement 2',
      'reply 0',
      'reply 1',
      'reply 2',
      'reply-acknowledgement 0',
      'reply-acknowledgement 1',
      'reply-acknowledgement 2',
    ]);
  });

  it('leave out legs that are not reached, and count an acknowledgement that needs no way as one', () => {
    expect(stepsOf(undeliverable, start)).toEqual([{ leg: 'message', way: 0, hop: 0 }]);
    const within1 = answer({ acknowledgement: [{ ...back, hops: [] }], reply: [], 'reply-acknowledgement': [] });
    expect(stepsOf(within1, start).filter(({ leg }) => leg === 'acknowledgement')).toHaveLength(1);
  });

  it('follow the way that is chosen on its own leg only', () => {
    const short = { ...there, hops: there.hops.slice(0, 1) };
    const drawn = answer({ message: [there, short], acknowledgement: [back, { ...back, hops: [] }] });
    const chosen = stepsOf(drawn, { ...start, way: 1 });
    expect(chosen.filter(({ leg }) => leg === 'message')).toEqual([{ leg: 'message', way: 1, hop: 0 }]);
    expect(chosen.filter(({ leg }) => leg === 'acknowledgement')).toHaveLength(3);
  });
});

describe('a move', () => {
  it.each<[Move, Position, Position]>([
    ['forward', start, at('message', 0)],
    ['forward', at('message', 2), at('acknowledgement', 0)],
    ['back', at('acknowledgement', 0), at('message', 2)],
    ['back', at('message', 0), at('message', 0)],
    ['forward', at('reply', null), at('reply', 0)],
    ['first', at('reply', 1), at('message', 0)],
    ['last', start, at('reply-acknowledgement', 2)],
    ['forward', at('reply-acknowledgement', 2), at('reply-acknowledgement', 2)],
  ])('%s', (move, from, to) => {
    expect(moved(steps, from, move)).toEqual(to);
  });

  it('shows a hop whole, whatever stage the one before stood at', () => {
    expect(moved(steps, at('message', 0, 'match'), 'forward').stage).toBeNull();
  });
});

describe('what is played', () => {
  it('explains each hop stage by stage, goes through all legs, and ends', () => {
    const seen: string[] = [];
    let position: Position | null = firstStage(moved(steps, start, 'first'), told);
    while (position !== null) {
      seen.push(`${position.leg} ${position.hop ?? '-'} ${position.stage ?? '-'}`);
      position = played(told, steps, position);
    }
    expect(seen.slice(0, 5)).toEqual([
      'message 0 table',
      'message 0 match',
      'message 0 choose',
      'message 0 go',
      'message 1 table',
    ]);
    expect(seen.at(-1)).toBe('reply-acknowledgement 2 go');
    // The sender's msdb needs no route for an acknowledgement: there is nothing to match and to choose.
    expect(seen.filter((one) => one.startsWith('acknowledgement 2'))).toEqual([
      'acknowledgement 2 table',
      'acknowledgement 2 go',
    ]);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('goes from a hop that is shown whole to the next one', () => {
    expect(played(told, steps, at('message', 0))).toEqual(at('message', 1, 'table'));
  });

  it('passes an acknowledgement without a way', () => {
    const local = answer({ acknowledgement: [{ ...back, hops: [] }] });
    const trip = stepsOf(local, start);
    const next = played(local, trip, at('message', 2, 'go'));
    expect(next).toEqual(at('acknowledgement', 0));
    expect(next && played(local, trip, next)).toEqual(at('reply', 0, 'table'));
  });
});

it('has no choice where no route is a candidate', () => {
  expect(stagesOf(hop('PARIS', 'Ventes', { match_step: 7 }))).toEqual(['table', 'match', 'go']);
  expect(stagesOf(hop('PARIS', 'Ventes', { match_step: null }))).toEqual(['table', 'go']);
});

describe('a position out of an old link', () => {
  it('is one that the answer has', () => {
    expect(within(told, { leg: 'message', way: 4, hop: 1, stage: 'match' })).toEqual(at('message', 1, 'match'));
    expect(within(told, at('message', 9, 'go'))).toEqual(at('message', null));
    expect(within(told, at('acknowledgement', 2, 'match'))).toEqual(at('acknowledgement', 2));
    expect(within(undeliverable, at('reply', 0))).toEqual(at('reply', 0));
    expect(placeOf(stepsOf(undeliverable, start), at('reply', 0))).toBe(-1);
  });
});
