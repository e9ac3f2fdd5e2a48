import { describe, expect, it } from 'vitest';

import { baseKeyOf, charts, counterTypes, figuresOf, isAtRest, unitOf, type Counter } from './counters';
import { momentsMax, noHistory, withMoment, type History } from './history';

const counter = (name: string, type: number, more: Partial<Counter> = {}): Counter => ({
  key: `PARIS ${name}\tSQLServer:Broker Statistics\t`,
  instance: 'PARIS',
  object: 'SQLServer:Broker Statistics',
  name,
  of: '',
  type,
  ...more,
});

function history(...moments: [at: number, values: Record<string, number | null>][]): History {
  return moments.reduce((before, [at, values]) => withMoment(before, at, new Map(Object.entries(values))), noHistory);
}

describe('what is kept of counters', () => {
  it('is bounded, and the oldest goes', () => {
    let kept = noHistory;
    for (let at = 1; at <= momentsMax + 20; at += 1) {
      kept = withMoment(kept, at, new Map([['a', at]]));
    }
    expect(kept.at).toHaveLength(momentsMax);
    expect([kept.at[0], kept.values.get('a')?.[0]]).toEqual([21, 21]);
  });

  it('a counter that came later was not known before, and one that went is forgotten in the end', () => {
    let kept = history([1, { a: 1 }], [2, { a: 2, b: 5 }], [3, { b: 6 }]);
    expect(kept.values.get('b')).toEqual([null, 5, 6]);
    expect(kept.values.get('a')).toEqual([1, 2, null]);
    for (let at = 4; at < momentsMax + 4; at += 1) {
      kept = withMoment(kept, at, new Map([['b', 1]]));
    }
    expect(kept.values.has('a')).toBe(false);
  });

  it('time does not go back', () => {
    const kept = history([2, { a: 1 }]);
    expect(withMoment(kept, 2, new Map([['a', 9]]))).toBe(kept);
  });
});

describe('figures', () => {
  it('a rate is what came a second, unknown at first and where a sum begins anew', () => {
    const sends = counter('SQL SENDs/sec', counterTypes.rate);
    const kept = history(
      [10, { [sends.key]: 100 }],
      [12, { [sends.key]: 120 }],
      [13, { [sends.key]: 5 }],
      [14, { [sends.key]: 5 }],
    );
    expect(figuresOf(kept, sends)).toEqual([null, 10, null, 0]);
  });

  it('a moment at which nothing was known leaves a gap, not a zero', () => {
    const open = counter('Open Connection Count', counterTypes.number);
    expect(figuresOf(history([1, { [open.key]: 3 }], [2, {}], [3, { [open.key]: 4 }]), open)).toEqual([3, null, 4]);
  });

  it('an average is what was added by how often, and none while nothing is added', () => {
    const size = counter('Msg Fragment Send Size Avg', counterTypes.average);
    const base = baseKeyOf(size);
    const kept = history(
      [1, { [size.key]: 1000, [base]: 1 }],
      [2, { [size.key]: 4000, [base]: 4 }],
      [3, { [size.key]: 4000, [base]: 4 }],
    );
    expect(figuresOf(kept, size)).toEqual([null, 1000, null]);
    expect(base).toBe('PARIS Msg Fragment Send Size Avg Base\tSQLServer:Broker Statistics\t');
  });

  it.each([
    ['SQL SENDs/sec', counterTypes.rate, 'perSecond'],
    ['Forwarded Msg Bytes/sec', counterTypes.rate, 'bytesPerSecond'],
    ['Receive I/O bytes/sec', counterTypes.rate, 'bytesPerSecond'],
    ['Forwarded Pending Msg Bytes', counterTypes.number, 'bytes'],
    ['Forwarded Msg Byte Total', counterTypes.number, 'bytes'],
    ['Send I/O Len Avg', counterTypes.average, 'bytes'],
    ['Avg. Time Between Batches (ms)', counterTypes.average, 'milliseconds'],
    ['Avg. Length of Batched Writes', counterTypes.average, 'number'],
    ['Tasks Running', counterTypes.number, 'number'],
  ])('%s is counted in its unit', (name, type, unit) => {
    expect(unitOf(name, type)).toBe(unit);
  });
});

describe('charts', () => {
  const running = (instance: string, of: string) =>
    counter('Tasks Running', counterTypes.number, { key: `${instance} ${of}`, instance, of });

  it('one counter of several instances is one chart, bases are none', () => {
    const made = charts(
      [
        counter('Tasks', counterTypes.number),
        counter('Tasks', counterTypes.number, { key: 'LYON', instance: 'LYON' }),
        counter('Tasks Base', counterTypes.base),
      ],
      noHistory,
      false,
    );
    expect(made.map(({ name, lines }) => [name, lines.length])).toEqual([['Tasks', 2]]);
  });

  it('of each database the sum is drawn, and of one instance each', () => {
    const all = ['_Total', 'Ventes', 'Stock'].map((of) => running('PARIS', of));
    const drawn = (isOne: boolean) => charts(all, noHistory, isOne)[0]?.lines.map((line) => line.counter.of);
    expect(drawn(false)).toEqual(['_Total']);
    expect(drawn(true)).toEqual(['Ventes', 'Stock']);
  });

  it('of more lines than can be told apart the highest are drawn, in their own order', () => {
    const all = Array.from({ length: 12 }, (_, place) =>
      counter('Tasks', counterTypes.number, { key: String(place), instance: String(place) }),
    );
    const kept = history([1, Object.fromEntries(all.map(({ key }) => [key, Number(key)]))]);
    const [chart] = charts(all, kept, false);
    expect(chart?.more).toBe(4);
    expect(chart?.lines.map((line) => line.counter.key)).toEqual(['4', '5', '6', '7', '8', '9', '10', '11']);
  });

  it('is at rest while all is zero or unknown', () => {
    const one = counter('Tasks', counterTypes.number, { key: 'a' });
    const rests = (...values: (number | null)[]) => {
      const [chart] = charts(
        [one],
        history(...values.map((value, at): [number, Record<string, number | null>] => [at + 1, { a: value }])),
        false,
      );
      return chart !== undefined && isAtRest(chart);
    };
    expect(rests(0, null, 0)).toBe(true);
    expect(rests(0, 1, 0)).toBe(false);
  });
});
