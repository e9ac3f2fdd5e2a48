import { describe, expect, it } from 'vitest';

import { demoEstate } from '@/testing/demo-estate';

import { allRoutes, objectNames, routesToward, routesWithin, placesOf, turnedBoth } from './marking';
import { parseSelection } from './selection';

const estate = demoEstate();
const everything = estate.instances.flatMap(({ name: instance, databases }) =>
  databases.flatMap(({ name: database, routes }) => routes.map((route) => ({ instance, database, route }))),
);

describe('several routes at once', () => {
  it('of an instance are those that lead out of its databases, and LOCAL is not', () => {
    for (const { name } of estate.instances) {
      const expected = everything
        .filter((one) => one.instance === name && one.route.address !== 'LOCAL')
        .map((one) => one.route.name);
      const found = objectNames(routesWithin(estate, { kind: 'instance', instance: name }));
      expect(found.map((one) => one.name)).toEqual(expected);
      expect(found.every(({ instance }) => instance === name)).toBe(true);
    }
  });

  it('of a route are those of its database; without a selection they are those of the estate', () => {
    const one = everything.find(({ route }) => route.address_kind === 'tcp');
    const beside = routesWithin(estate, parseSelection(`route/${one?.instance ?? ''}/${one?.database ?? ''}/x`));
    expect(beside.map(parseSelection)).toContainEqual(expect.objectContaining({ route: one?.route.name }));
    expect(beside.every((text) => text.startsWith(`route/${one?.instance ?? ''}/${one?.database ?? ''}/`))).toBe(true);
    expect(routesWithin(estate, null)).toHaveLength(
      everything.filter(({ route }) => route.address_kind !== 'local').length,
    );
  });

  it('in a bundle lead to its end, also by a mirror address', () => {
    for (const { instance, route } of everything.filter((one) => one.route.address_kind === 'tcp')) {
      for (const target of [
        route.target_instance,
        ...(route.mirror_address === null ? [] : [route.mirror_target_instance]),
      ]) {
        expect(objectNames(routesToward(estate, instance, target)).map(({ name }) => name)).toContain(route.name);
      }
    }
  });

  it('are taken in, and out again when all were in', () => {
    const turn = (routes: string[], boxes: string[], some: { routes: string[]; boxes: string[] }) =>
      turnedBoth(new Set(routes), new Set(boxes), some).map((set) => [...set]);
    expect(turn(['a'], [], { routes: ['a', 'b'], boxes: [] })).toEqual([['a', 'b'], []]);
    expect(turn(['a', 'b', 'c'], [], { routes: ['a', 'b'], boxes: [] })).toEqual([['c'], []]);
    // A box decides for its routes: one that is taken out takes all of them along.
    expect(turn(['a', 'b'], [], { routes: ['a', 'b'], boxes: ['A'] })).toEqual([['a', 'b'], ['A']]);
    expect(turn(['a', 'c'], ['A'], { routes: ['a', 'b'], boxes: ['A'] })).toEqual([['c'], []]);
  });

  it('stand for places of a script, databases only where their instance is not taken whole', () => {
    expect(placesOf(['instance/A', 'database/A/x', 'database/B/y%2Fz', 'route/C/d/e'])).toEqual(['A', 'B/y%2Fz']);
  });

  it('are named to the server as they are called, slashes included', () => {
    expect(objectNames(allRoutes(estate))).toHaveLength(everything.length);
    expect(objectNames(['route/A/B/x%2Fy', 'instance/A'])).toEqual([{ instance: 'A', database: 'B', name: 'x/y' }]);
  });
});
