import { describe, expect, it } from 'vitest';

import { flowsOf, noMemory, observe, shareOf, together, unknownFlow, type Connection, type FlowMemory } from './flows';

function connection(more: Partial<Connection> = {}): Connection {
  return {
    key: 'a',
    flow: 'PARIS LYON',
    messages: 0,
    bytes: 0,
    error: null,
    detail: '',
    isLoggedIn: true,
    isHeld: false,
    conversations: 0,
    ...more,
  };
}

/** One sample after another, `at` in seconds. */
function after(...samples: [at: number, ...connections: Connection[]][]): {
  memory: FlowMemory;
  flow: ReturnType<typeof flowsOf>;
} {
  const memory = samples.reduce((before, [at, ...connections]) => observe(before, connections, at * 1000), noMemory);
  const [, ...last] = samples.at(-1) ?? [0];
  return { memory, flow: flowsOf(memory, last) };
}

const flow = (...samples: Parameters<typeof after>) => after(...samples).flow.get('PARIS LYON');

describe('rates', () => {
  it('are not known of one sample, and the difference over the time of two', () => {
    expect(flow([0, connection({ messages: 900 })])?.rate).toBeNull();
    expect(
      flow([0, connection({ messages: 900, bytes: 100 })], [2, connection({ messages: 910, bytes: 5100 })]),
    ).toMatchObject({ rate: 5, bytesRate: 2500, verdict: 'delivered' });
  });

  it('forget what is older than the window, so that silence is zero soon', () => {
    const said: [number, Connection][] = [0, 1, 2, 3, 4, 5, 6, 7].map((at) => [
      at,
      connection({ messages: Math.min(at, 2) * 10 }),
    ]);
    expect(flow(...said)?.rate).toBe(0);
    expect(flow(...said.slice(0, 6))?.rate).toBe(4);
  });

  it('add up the connections between the same two', () => {
    const both = (one: number, other: number): Connection[] => [
      connection({ messages: one }),
      connection({ key: 'b', messages: other }),
    ];
    expect(flow([0, ...both(0, 0)], [1, ...both(3, 4)])?.rate).toBe(7);
  });

  it('take neither a connection that was unknown before nor one that began anew for a burst', () => {
    expect(flow([0], [1, connection({ messages: 5000 })])?.rate).toBe(0);
    expect(flow([0], [1, connection({ messages: 5000 })], [2, connection({ messages: 5010 })])?.rate).toBe(5);
    expect(flow([0, connection({ messages: 5000 })], [1, connection({ messages: 3 })])?.rate).toBe(0);
  });
});

describe('verdicts', () => {
  it.each([
    [{ error: 9754, isLoggedIn: false }, 'lost'],
    [{ isLoggedIn: false, conversations: 1 }, 'idle'],
    [{ isLoggedIn: false }, 'idle'],
    [{ isHeld: true }, 'delayed'],
    [{}, 'idle'],
  ] as const)('of %o is %s', (more, verdict) => {
    expect(flow([0, connection(more)])?.verdict).toBe(verdict);
  });

  it('of a login are delayed once somebody has waited for it for two seconds', () => {
    const entering = (second: number): [number, Connection] => [
      second,
      connection({ isLoggedIn: false, conversations: 1 }),
    ];
    expect(flow(entering(0), entering(1.9))?.verdict).toBe('idle');
    expect(flow(entering(0), entering(2))?.verdict).toBe('delayed');
    expect(flow(entering(0), [1, connection()], entering(2))?.verdict).toBe('idle');
  });

  it('are the worst of the last minute, and then of what is so now', () => {
    const failing: [number, Connection] = [0, connection({ error: 9754 })];
    expect(flow(failing, [59, connection()])).toMatchObject({ verdict: 'lost', error: null });
    expect(flow(failing, [60, connection()])?.verdict).toBe('idle');
  });

  it('stay for a minute when the connection is gone, and then nothing is kept', () => {
    const failing: [number, Connection] = [0, connection({ error: 9754 })];
    expect(flow(failing, [30])?.verdict).toBe('lost');
    const { memory } = after(failing, [60]);
    expect([memory.seen.size, memory.samples.length]).toEqual([0, 1]);
  });

  it('of several are the worst, and unknown is never good', () => {
    const good = { rate: 4, bytesRate: 1, verdict: 'delivered' as const, error: null, detail: '' };
    expect(together([good, { ...good, rate: null, verdict: 'lost', error: 9754, detail: 'refused' }])).toEqual({
      rate: 4,
      bytesRate: 2,
      verdict: 'lost',
      error: 9754,
      detail: 'refused',
    });
    expect(together([good, unknownFlow]).verdict).toBe('unknown');
  });
});

describe('the scale of widths', () => {
  it('is logarithmic and ends at the largest rate there is', () => {
    expect([shareOf(0, 100), shareOf(100, 100), shareOf(5, 0)]).toEqual([0, 1, 0]);
    expect(shareOf(9, 99)).toBeCloseTo(0.5);
    expect(shareOf(3, 3)).toBe(1);
  });
});
