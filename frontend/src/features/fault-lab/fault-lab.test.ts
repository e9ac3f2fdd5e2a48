import { describe, expect, it } from 'vitest';

import type { FutureEvent } from '@/contracts/api';
import type { Fault } from '@/topology/faults';

import { expirySentence, instantsOf } from './instants';
import { columnsOfPage, kindsOf, ofKinds, pairsOf, runsOf } from './matrix-columns';
import { moved } from './use-grid-keys';

const down = (instance: string): Fault => ({ kind: 'instance', instance });
const stopped = (instance: string): Fault => ({ kind: 'endpoint', instance });

describe('the columns of the matrix', () => {
  it('stand kind by kind, under one head each', () => {
    const faults = ofKinds([stopped('A'), down('B'), down('A')], ['endpoint', 'instance']);
    expect(faults).toEqual([down('B'), down('A'), stopped('A')]);
    expect(runsOf([...faults.map((fault) => [fault]), [down('A'), down('B')]])).toEqual([
      { kind: 'instance', count: 2 },
      { kind: 'endpoint', count: 1 },
      { kind: 'pairs', count: 1 },
    ]);
  });

  it('are of the kinds that the address names, of all when it names none, and of none when it says so', () => {
    expect(kindsOf(null, ['instance', 'link'])).toEqual(['instance', 'link']);
    expect(kindsOf('link,queue', ['instance', 'link'])).toEqual(['link']);
    expect(kindsOf('none', ['instance', 'link'])).toEqual([]);
  });

  it('come in pages, of which the last is shown for one beyond it', () => {
    const many = Array.from({ length: 65 }, (_, index) => [down(`I${index}`)]);
    expect(columnsOfPage(many, 1)).toMatchObject({ page: 1, pages: 3 });
    expect(columnsOfPage(many, 9).failures).toEqual(many.slice(60));
    expect(columnsOfPage([], 1)).toEqual({ failures: [], page: 1, pages: 1 });
  });

  it('pair every two that can fail together, and not what goes down with the other anyhow', () => {
    const link: Fault = { kind: 'link', instance: 'B', other: 'A' };
    const database: Fault = { kind: 'database', instance: 'C', database: 'D' };
    const queue: Fault = { ...database, kind: 'queue', queue: 'dbo.Q' };
    const partner: Fault = { ...database, kind: 'partner' };
    expect(pairsOf([down('A'), link])).toEqual([]);
    expect(pairsOf([stopped('A'), link])).toEqual([]);
    expect(pairsOf([queue, database])).toEqual([]);
    expect(pairsOf([down('C'), database, queue])).toEqual([]);
    expect(pairsOf([down('C'), partner])).toEqual([[down('C'), partner]]);
    expect(pairsOf([down('A'), down('B'), down('C')])).toHaveLength(3);
    expect(pairsOf(Array.from({ length: 80 }, (_, index) => down(`I${index}`)))).toHaveLength(1770);
  });
});

describe('the keys of the grid', () => {
  const at = { row: 1, column: 1 };
  it.each([
    ['ArrowUp', false, { row: 0, column: 1 }],
    ['ArrowLeft', false, { row: 1, column: 0 }],
    ['ArrowDown', false, { row: 2, column: 1 }],
    ['ArrowRight', false, { row: 1, column: 2 }],
    ['PageDown', false, { row: 2, column: 1 }],
    ['Home', false, { row: 1, column: 0 }],
    ['Home', true, { row: 0, column: 0 }],
    ['End', true, { row: 2, column: 3 }],
  ])('%s (Ctrl: %s) stays within it', (key, ctrlKey, expected) => {
    expect(moved(at, { key, ctrlKey }, 3, 4)).toEqual(expected);
  });

  it('leave other keys alone', () => {
    expect(moved(at, { key: 'Enter', ctrlKey: false }, 3, 4)).toBeNull();
  });
});

it('puts routes that expire at one instant together, in the order of time', () => {
  const event = (at: string, route: string): FutureEvent => ({
    at,
    route: { instance: 'PARIS', database: 'Ventes', route },
    changes: [],
  });
  const instants = instantsOf([
    event('2027-02-01T00:00:00Z', 'late'),
    event('2027-01-01T00:00:00Z', 'one'),
    event('2027-01-01T01:00:00+01:00', 'other'),
  ]);
  expect(instants.map(({ events }) => events.map(({ route }) => route.route))).toEqual([['one', 'other'], ['late']]);
});

it('says in a sentence what the end of a route makes of flows', () => {
  const row = (change: 'lost' | 'moved' | 'gained') => ({
    key: change,
    question: { instance: 'PARIS', database: 'Ventes', service: 'S', to_service: 'T', broker_instance: null },
    change,
    before: null,
    after: null,
    before_number: null,
    after_number: null,
    before_route: null,
    after_route: null,
  });
  const event = { at: '2027-01-01T14:05:00Z', route: { instance: 'PARIS', database: 'Ventes', route: 'r_billing' } };
  expect(expirySentence({ ...event, changes: [row('lost'), row('lost'), row('lost'), row('moved')] })).toBe(
    'Route r_billing of PARIS · Ventes expires: 3 flows become undeliverable, 1 flow goes another way.',
  );
  expect(expirySentence({ ...event, changes: [row('gained')] })).toContain('1 flow arrives that did not');
  expect(expirySentence({ ...event, changes: [] })).toContain('no flow changes');
});
