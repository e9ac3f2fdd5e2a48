import { describe, expect, it } from 'vitest';

import { draftFlow } from '@/testing/draft-flows';

import { byRoute, scopesOf } from './flow-groups';

const paris = { instance: 'PARIS', database: 'Ventes', service: 'A', broker_instance: null };
const lyon = { instance: 'LYON', database: 'Entrepôt', service: 'B', broker_instance: null };

const flows = [
  draftFlow({ key: '1', question: { ...paris, to_service: 'X' }, before_route: 'North' }),
  draftFlow({ key: '2', question: { ...paris, to_service: 'Y' }, before_route: 'South' }),
  draftFlow({ key: '3', question: { ...paris, to_service: 'Z' }, before_route: 'North' }),
  draftFlow({ key: '4', question: { ...lyon, to_service: 'X' }, before_route: 'North' }),
  draftFlow({ key: '5', question: { ...lyon, to_service: 'Y' }, before_route: null, is_intended: true }),
];

describe('lost flows', () => {
  it('go by database and route: routes of one name in two databases are two', () => {
    expect(byRoute(flows).map(({ instance, route, rows }) => [instance, route, rows.length])).toEqual([
      ['PARIS', 'North', 2],
      ['PARIS', 'South', 1],
      ['LYON', 'North', 1],
      ['LYON', null, 1],
    ]);
  });

  it('are ticked by all, by database, or by route, without those that are ticked', () => {
    expect(scopesOf(flows).map(({ kind, place, route, keys }) => [kind, place, route, keys.join('')])).toEqual([
      ['all', '', '', '1234'],
      ['database', 'PARIS · Ventes', '', '123'],
      ['route', 'PARIS · Ventes', 'North', '13'],
      ['route', 'PARIS · Ventes', 'South', '2'],
      ['database', 'LYON · Entrepôt', '', '4'],
    ]);
  });

  it('need no scope when all are ticked', () => {
    expect(scopesOf(flows.filter((flow) => flow.is_intended))).toEqual([]);
  });
});
