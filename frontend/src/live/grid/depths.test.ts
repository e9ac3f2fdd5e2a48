import { describe, expect, it } from 'vitest';

import { depthLines, depthsNow, lastLeft } from './depths';
import { linesMax, noHistory, withMoment, type History } from './history';
import type { Source } from './sources';

const group = (database: string, messages: number, number: number | null = null) => ({
  database,
  number,
  messages,
  conversations: 1,
  oldest: 0,
  text: '',
});

const seconds = (...moments: Record<string, number>[]): History =>
  moments.reduce((before, values, at) => withMoment(before, at + 1, new Map(Object.entries(values))), noHistory);

const source = (instance: string, state: Source['state'] = 'known'): Source => ({
  instance,
  state,
  reason: '',
  number: null,
  since: null,
});

describe('how deep queues are', () => {
  it('an instance that tells has a depth, zero too; one that does not has none', () => {
    const depths = depthsNow({
      PARIS: { total: 9, groups: [group('Ventes', 4, 9754), group('Ventes', 2), group('Stock', 3)] },
      LYON: { total: 0, groups: [] },
      BERLIN: { groups: [group('Lager', 7)], unavailable: { reason: 'gone', since: 5 } },
      HUB: { refused: { number: 911, detail: '' } },
    });
    expect(Object.fromEntries(depths)).toEqual({ PARIS: 9, 'PARIS · Ventes': 6, 'PARIS · Stock': 3, LYON: 0 });
  });

  it('lines are of instances, of one instance of its databases, and where nobody told there is a gap', () => {
    const history = seconds(
      { PARIS: 0, LYON: 0 },
      { PARIS: 5, 'PARIS · Ventes': 4, 'PARIS · Stock': 1, LYON: 0 },
      {},
      { PARIS: 2, 'PARIS · Ventes': 2, LYON: 0 },
    );
    expect(depthLines(history, null, null)).toEqual({ lines: [{ name: 'PARIS', figures: [0, 5, null, 2] }], more: 0 });
    expect(depthLines(history, 'PARIS', null).lines).toEqual([
      { name: 'Stock', figures: [0, 1, null, 0] },
      { name: 'Ventes', figures: [0, 4, null, 2] },
    ]);
    expect(depthLines(history, 'PARIS', 'Stock').lines).toHaveLength(1);
    expect(depthLines(history, 'LYON', null).lines).toEqual([]);
  });

  it('of more than can be told apart those that are deepest now are drawn, and the others counted', () => {
    const values = Object.fromEntries(
      Array.from({ length: linesMax + 3 }, (_, place) => [`I${place + 10}`, place + 1]),
    );
    const { lines, more } = depthLines(seconds(values), null, null);
    expect(lines.map(({ figures }) => figures[0])).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
    expect(more).toBe(3);
  });
});

describe('the last message that left', () => {
  const facts = {
    PARIS: {
      started_at: 100,
      left: [
        { database: 'Ventes', at: 150 },
        { database: 'Stock', at: 190 },
      ],
    },
    LYON: { started_at: 180, left: [] },
    BERLIN: { started_at: 100, left: [{ database: 'Lager', at: 199 }], unavailable: { reason: '', since: 199 } },
  };

  it('is the latest of those who tell, and of a database its own', () => {
    const sources = [source('PARIS'), source('LYON'), source('BERLIN', 'not-connected')];
    expect(lastLeft(facts, sources, null)).toEqual({
      last: { at: 190, instance: 'PARIS', database: 'Stock' },
      since: 180,
      known: ['PARIS', 'LYON'],
      silent: ['BERLIN'],
    });
    expect(lastLeft(facts, sources, 'Ventes').last?.at).toBe(150);
  });

  it('is none since the start, which is not the same as not known', () => {
    expect(lastLeft(facts, [source('LYON')], null)).toEqual({
      last: null,
      since: 180,
      known: ['LYON'],
      silent: [],
    });
    expect(lastLeft({}, [source('LYON', 'waiting')], null)).toEqual({
      last: null,
      since: null,
      known: [],
      silent: ['LYON'],
    });
  });
});
