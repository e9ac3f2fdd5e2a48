import { describe, expect, it } from 'vitest';

import type { ServerMessage } from '@/contracts/live-messages';

import {
  backOffMilliseconds,
  isPollingTime,
  step,
  timing,
  type ConnectionInput,
  type ConnectionState,
} from './connection';

const half = 0.5;
const welcome: ServerMessage = {
  type: 'welcome',
  connection: 'c',
  server_time: 0,
  heartbeat_seconds: 5,
  ack_seconds: 1,
  protocol: 2,
};

function run(inputs: readonly ConnectionInput[], from: ConnectionState = { phase: 'idle' }) {
  return inputs.reduce((before, input) => step(before.state, input, half), step(from, { type: 'stop' }, half));
}

const received = (message: ServerMessage): ConnectionInput => ({ type: 'received', message });
const opening: ConnectionInput[] = [{ type: 'start' }, { type: 'opened' }, received(welcome)];

describe('the live connection', () => {
  it('greets when the socket opens and subscribes when it is welcome', () => {
    expect(run(opening.slice(0, 2)).effects).toContainEqual({
      type: 'send',
      message: { type: 'hello', protocol: 2, tab: '' },
    });
    const { state, effects } = run(opening);
    expect(state).toEqual({ phase: 'ready', failures: 0 });
    expect(effects).toContainEqual({ type: 'subscribe' });
  });

  it('sets the watchdog anew with every message', () => {
    const { effects } = run([...opening, received({ type: 'hb', server_time: 0, streams: {} })]);
    expect(effects).toEqual([{ type: 'arm-watchdog', milliseconds: timing.silenceMillisecondsMax }]);
  });

  it.each([{ type: 'closed' }, { type: 'silent' }] satisfies ConnectionInput[])(
    'closes and waits after $type',
    (loss) => {
      const { state, effects } = run([...opening, loss]);
      expect(state).toMatchObject({ phase: 'waiting', failures: 1 });
      expect(effects.map((effect) => effect.type)).toEqual(['close', 'disarm-watchdog', 'arm-retry']);
    },
  );

  it('waits longer after each failure and begins anew after a success', () => {
    expect([1, 2, 3, 4].map((failures) => backOffMilliseconds(failures, 1))).toEqual([1000, 2000, 4000, 8000]);
    const once = run([...opening, { type: 'closed' }, { type: 'retry' }, { type: 'closed' }]);
    expect(once.state).toMatchObject({ failures: 2 });
    const again = run([...opening, { type: 'closed' }, { type: 'retry' }, { type: 'opened' }, received(welcome)]);
    expect(again.state).toEqual({ phase: 'ready', failures: 0 });
  });

  it('leaves the whole of a wait to chance, never less than half a second nor more than thirty', () => {
    expect(backOffMilliseconds(4, 0)).toBe(500);
    expect(backOffMilliseconds(4, half)).toBe(4250);
    for (const random of [0, 0.5, 1]) {
      for (const failures of [1, 5, 50, 5000]) {
        const wait = backOffMilliseconds(failures, random);
        expect(wait).toBeGreaterThanOrEqual(500);
        expect(wait).toBeLessThanOrEqual(30_000);
      }
    }
  });

  it('has the page ask over HTTP after three failures in a row, until it is welcome again', () => {
    const fails: ConnectionInput[] = [{ type: 'closed' }, { type: 'retry' }];
    const states = [0, 1, 2, 3].map(
      (count) => run([{ type: 'start' }, ...Array.from({ length: count }, () => fails).flat()]).state,
    );
    expect(states.map(isPollingTime)).toEqual([false, false, false, true]);
    const last = states[3] ?? { phase: 'idle' };
    const welcomed = [{ type: 'opened' } as const, received(welcome)].reduce(
      (before, input) => step(before, input, half).state,
      last,
    );
    expect(isPollingTime(welcomed)).toBe(false);
  });

  it('tries at once when the network comes back or the page is looked at', () => {
    const { state, effects } = run([...opening, { type: 'closed' }, { type: 'nudged' }]);
    expect(state.phase).toBe('connecting');
    expect(effects.map((effect) => effect.type)).toEqual(['disarm-retry', 'open', 'arm-watchdog']);
  });

  it('does not open a second socket when it is nudged while one is open', () => {
    expect(run([...opening, { type: 'nudged' }]).effects).toEqual([]);
  });

  it('does not try again once it was refused', () => {
    const refused = run([...opening, received({ type: 'refused', code: 4403, reason: 'forbidden' })]);
    expect(refused.state).toEqual({ phase: 'refused', code: 4403, reason: 'forbidden' });
    expect(step(refused.state, { type: 'nudged' }, half).effects).toEqual([]);
    expect(step(refused.state, { type: 'closed' }, half).state.phase).toBe('refused');
  });

  it('comes back when it was let go for its silence: the machine has slept', () => {
    const awake = run([...opening, received({ type: 'refused', code: 4408, reason: 'silent' })]);
    expect(awake.state.phase).toBe('waiting');
    expect(step(awake.state, { type: 'nudged' }, half).effects).toContainEqual({ type: 'open' });
  });

  it('is not moved by what an abandoned socket or timer still says', () => {
    const waiting = run([...opening, { type: 'closed' }]).state;
    for (const late of [
      { type: 'closed' },
      { type: 'silent' },
      { type: 'opened' },
      received(welcome),
    ] satisfies ConnectionInput[]) {
      expect(step(waiting, late, half)).toEqual({ state: waiting, effects: [] });
    }
  });
});
