import { describe, expect, it } from 'vitest';

import type { FutureEvent } from '@/contracts/api';
import type { Fault } from '@/topology/faults';

import { instantsOf } from './instants';
import { columnsOf, columnsOfPage, kindsOf, runsOf } from './matrix-columns';
import { moved } from './use-grid-keys';

const down = (instance: string): Fault => ({ kind: 'instance', instance });
const stopped = (instance: string): Fault => ({ kind: 'endpoint', instance });

describe('the columns of the matrix', () => {
  it('stand kind by kind, under one head each', () => {
    const columns = columnsOf([stopped('A'), down('B'), down('A')], ['endpoint', 'instance']);
    expect(columns).toEqual([down('B'), down('A'), stopped('A')]);
    expect(runsOf(columns)).toEqual([
      { kind: 'instance', count: 2 },
      { kind: 'endpoint', count: 1 },
    ]);
  });

  it('are of the kinds that the address names, of all when it names none, and of none when it says so', () => {
    expect(kindsOf(null, ['instance', 'link'])).toEqual(['instance', 'link']);
    expect(kindsOf('link,queue', ['instance', 'link'])).toEqual(['link']);
    expect(kindsOf('none', ['instance', 'link'])).toEqual([]);
  });

  it('come in pages, of which the last is shown for one beyond it', () => {
    const many = Array.from({ length: 65 }, (_, index) => down(`I${index}`));
    expect(columnsOfPage(many, 1)).toMatchObject({ page: 1, pages: 3 });
    expect(columnsOfPage(many, 9).faults).toEqual(many.slice(60));
    expect(columnsOfPage([], 1)).toEqual({ faults: [], page: 1, pages: 1 });
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
