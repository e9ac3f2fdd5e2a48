import { describe, expect, it } from 'vitest';

import { instanceView } from '@/testing/demo-estate';

import { livenessOf } from './liveness';
import { emptyLive, reduceLive, type LiveInput, type LiveState } from './reducer';

const begin: LiveInput = { type: 'connecting', estate: 'demo' };

function seen(name: string, sequence: number, at = 1000, estate = 'demo'): LiveInput {
  return { type: 'message', message: { type: 'instance', estate, sequence, view: instanceView(name, { last_event: sequence }) }, at };
}

function fold(...inputs: LiveInput[]): LiveState {
  return inputs.reduce(reduceLive, emptyLive);
}

const subscribed = { phase: 'subscribed', estate: 'demo', failures: 0 } as const;

describe('the live state', () => {
  it('keeps the newest view of each instance', () => {
    const live = fold(begin, seen('PARIS', 1), seen('LYON', 4), seen('PARIS', 2, 1500));
    expect(live.instances.PARIS).toMatchObject({ sequence: 2, seenAt: 1500, isCurrent: true });
    expect(live.instances.LYON?.view?.last_event).toBe(4);
  });

  it('drops a view that was overtaken', () => {
    const live = fold(begin, seen('PARIS', 5), seen('PARIS', 3));
    expect(live.instances.PARIS?.view?.last_event).toBe(5);
  });

  it('takes any view after a new connection: the server may have begun to count anew', () => {
    const live = fold(begin, seen('PARIS', 50), begin, seen('PARIS', 1));
    expect(live.instances.PARIS?.view?.last_event).toBe(1);
  });

  it('keeps showing what it knew while the connection is made again, but not as current', () => {
    const live = fold(begin, seen('PARIS', 1), begin);
    expect(live.instances.PARIS).toMatchObject({ isCurrent: false, seenAt: 1000 });
    expect(live.instances.PARIS?.view).not.toBeNull();
  });

  it('forgets everything of another estate', () => {
    const live = fold(begin, seen('PARIS', 1), { type: 'connecting', estate: 'other' }, seen('PARIS', 1));
    expect(live.instances).toEqual({});
  });

  it('keeps the last rows of an instance that does not answer, with the reason', () => {
    const gone: LiveInput = { type: 'message', message: { type: 'unavailable', instance: 'PARIS', reason: 'Its worker is down.' }, at: 2000 };
    const live = fold(begin, seen('PARIS', 1), gone);
    expect(live.instances.PARIS).toMatchObject({ unavailable: 'Its worker is down.', seenAt: 1000 });
    expect(reduceLive(live, seen('PARIS', 2)).instances.PARIS?.unavailable).toBeNull();
  });

  it('learns from heartbeats how far the clocks are apart', () => {
    const live = fold(begin, { type: 'message', message: { type: 'heartbeat', server_time: 12.5 }, at: 10_000 });
    expect(live.clockAheadMilliseconds).toBe(2500);
  });
});

describe('the connection badge', () => {
  it('says Live only when every instance of the estate was heard of on this connection', () => {
    const one = fold(begin, seen('PARIS', 1));
    expect(livenessOf(subscribed, one, ['PARIS', 'LYON'])).toBe('catching-up');
    expect(livenessOf(subscribed, reduceLive(one, seen('LYON', 1)), ['PARIS', 'LYON'])).toBe('live');
  });

  it('says Offline while it waits and while it tries again, but Connecting at first', () => {
    const live = fold(begin);
    expect(livenessOf({ phase: 'connecting', estate: 'demo', failures: 0 }, live, [])).toBe('connecting');
    expect(livenessOf({ phase: 'connecting', estate: 'demo', failures: 2 }, live, [])).toBe('offline');
    expect(livenessOf({ phase: 'waiting', estate: 'demo', failures: 1, retryMilliseconds: 500 }, live, [])).toBe('offline');
  });
});
