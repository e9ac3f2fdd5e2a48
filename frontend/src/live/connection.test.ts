import { describe, expect, it } from 'vitest';

import type { ServerMessage } from '@/contracts/live-messages';

import { backOffMilliseconds, step, timing, type ConnectionInput, type ConnectionState } from './connection';

const half = 0.5;

function run(inputs: readonly ConnectionInput[], from: ConnectionState = { phase: 'idle' }) {
  return inputs.reduce((before, input) => step(before.state, input, half), step(from, { type: 'stop' }, half));
}

const received = (message: ServerMessage): ConnectionInput => ({ type: 'received', message });
const opening: ConnectionInput[] = [{ type: 'start', estate: 'demo' }, { type: 'opened' }, received({ type: 'welcome', server_time: 0 })];

describe('the live connection', () => {
  it('greets when the socket opens and subscribes when it is welcome', () => {
    expect(run(opening.slice(0, 2)).effects).toContainEqual({ type: 'send', message: { type: 'hello', protocol: 1 } });
    const { state, effects } = run(opening);
    expect(state).toEqual({ phase: 'subscribed', estate: 'demo', failures: 0 });
    expect(effects).toContainEqual({ type: 'send', message: { type: 'subscribe', estate: 'demo' } });
  });

  it('sets the watchdog anew with every message', () => {
    const { effects } = run([...opening, received({ type: 'heartbeat', server_time: 0 })]);
    expect(effects).toEqual([{ type: 'arm-watchdog', milliseconds: timing.silenceMillisecondsMax }]);
  });

  it.each([{ type: 'closed' }, { type: 'silent' }] satisfies ConnectionInput[])('closes and waits after $type', (loss) => {
    const { state, effects } = run([...opening, loss]);
    expect(state).toMatchObject({ phase: 'waiting', failures: 1 });
    expect(effects.map((effect) => effect.type)).toEqual(['close', 'disarm-watchdog', 'arm-retry']);
  });

  it('waits longer after each failure and begins anew after a success', () => {
    const waits = [1, 2, 3, 4].map((failures) => backOffMilliseconds(failures, 1));
    expect(waits).toEqual([500, 1000, 2000, 4000]);
    const once = run([...opening, { type: 'closed' }, { type: 'retry' }, { type: 'closed' }]);
    expect(once.state).toMatchObject({ failures: 2 });
    const again = run([...opening, { type: 'closed' }, { type: 'retry' }, { type: 'opened' }, received({ type: 'welcome', server_time: 0 })]);
    expect(again.state).toMatchObject({ phase: 'subscribed', failures: 0 });
  });

  it('never waits less than half a second nor more than thirty', () => {
    for (const random of [0, 0.5, 1]) {
      for (const failures of [1, 5, 50, 5000]) {
        const wait = backOffMilliseconds(failures, random);
        expect(wait).toBeGreaterThanOrEqual(500);
        expect(wait).toBeLessThanOrEqual(30_000);
      }
    }
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
    const refused = run([...opening, received({ type: 'refused', reason: 'No right to view.' })]);
    expect(refused.state).toEqual({ phase: 'refused', estate: 'demo', reason: 'No right to view.' });
    expect(step(refused.state, { type: 'nudged' }, half).effects).toEqual([]);
    expect(step(refused.state, { type: 'closed' }, half).state.phase).toBe('refused');
  });

  it('is not moved by what an abandoned socket or timer still says', () => {
    const waiting = run([...opening, { type: 'closed' }]).state;
    for (const late of [{ type: 'closed' }, { type: 'silent' }, { type: 'opened' }, received({ type: 'welcome', server_time: 0 })] satisfies ConnectionInput[]) {
      expect(step(waiting, late, half)).toEqual({ state: waiting, effects: [] });
    }
  });
});
