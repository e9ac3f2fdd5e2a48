import { describe, expect, it } from 'vitest';

import type { Estate } from '@/contracts/api';
import { database, demoEstate, instance, route, routeTo } from '@/testing/demo-estate';

import { isOnLiveMap, onLiveMap, withRemovedRoutes } from './draft-map';
import { buildGraph, ids } from './graph';
import { inColumns } from './placing';
import { boxesOf } from './ways';

const there = routeTo('There', 'LYON', { service_name: '//exemple.fr/Stock/Suivi' });
const nowhere = route('Nowhere', { address: 'TCP://nobody:4022', address_kind: 'tcp' });
const local = route('Local', { service_name: '//exemple.fr/Ventes/Guichet' });
const paris = { instance: 'PARIS', database: 'Ventes' };

function estate(...routes: ReturnType<typeof route>[]): Estate {
  return {
    ...demoEstate(),
    instances: [
      instance('BERLIN', [database('Lager', '5')]),
      instance('LYON', [database('Stock', '2')]),
      instance('PARIS', [database('Ventes', '4', { routes })]),
    ],
  };
}

/** The live map, and a draft drawn on it. */
function drawnOn(live: Estate, draft: Estate) {
  const graph = buildGraph(live);
  const whole = withRemovedRoutes(draft, live);
  const drafted = buildGraph(whole.estate);
  const before = { graph, layout: inColumns(graph) };
  return { before, drafted, layout: onLiveMap(drafted, before), removed: whole.removed };
}

describe('a draft on the live map', () => {
  it.each([
    ['adds a route', estate(there), estate(there, nowhere)],
    ['changes an address', estate(there), estate(routeTo('There', 'BERLIN', { service_name: there.service_name }))],
    ['deletes a route', estate(there, nowhere), estate(there)],
    ['adds a LOCAL route to a card', estate(there), estate(there, local)],
  ])('moves nothing that is live when it %s', (_, live, draft) => {
    const { before, layout } = drawnOn(live, draft);
    for (const { id } of [...before.graph.instances, ...before.graph.others]) {
      expect(layout.boxes[id]).toEqual(before.layout.boxes[id]);
    }
  });

  it('draws every line, and lines that are as they were in the same way', () => {
    const { before, drafted, layout } = drawnOn(estate(there), estate(there, nowhere));
    const line = ids.route(paris, 'There');
    expect(Object.keys(layout.lines).toSorted()).toEqual(drafted.lines.map(({ id }) => id).toSorted());
    expect(layout.lines[line]).toEqual(before.layout.lines[line]);
  });

  it('leads a route whose address is another one to its new end', () => {
    const moved = routeTo('There', 'BERLIN', { service_name: there.service_name });
    const { before, layout } = drawnOn(estate(there), estate(moved));
    const end = layout.lines[ids.route(paris, 'There')]?.points.at(-1);
    expect(end?.x).toBe(before.layout.boxes[ids.instance('BERLIN')]?.x);
  });

  it('covers no box with a new one, nor with one that has grown', () => {
    const many = Array.from({ length: 4 }, (_, index) =>
      route(`Local ${index}`, { service_name: `//exemple.fr/Ventes/${index}` }),
    );
    const others = Array.from({ length: 3 }, (_, index) =>
      route(`Out ${index}`, { address: `TCP://nobody${index}:4022`, address_kind: 'tcp' }),
    );
    const { drafted, layout } = drawnOn(estate(there), estate(there, ...many, ...others));
    const boxes = [...boxesOf(drafted).values()].map((box) => ({
      ...box,
      ...(layout.boxes[box.id] ?? { x: NaN, y: NaN }),
    }));
    for (const one of boxes) {
      for (const other of boxes.filter(({ id }) => id !== one.id)) {
        const isBeside = one.x + one.width <= other.x || other.x + other.width <= one.x;
        const isApart = one.y + one.height <= other.y || other.y + other.height <= one.y;
        expect(isBeside || isApart, `${one.id} and ${other.id}`).toBe(true);
      }
    }
  });

  it('still has the routes that the draft deletes, and their ends', () => {
    const { layout, removed } = drawnOn(estate(there, nowhere, local), estate(there));
    expect(removed.toSorted()).toEqual([ids.route(paris, 'Local'), ids.route(paris, 'Nowhere')]);
    expect(layout.lines[ids.route(paris, 'Nowhere')]).toBeDefined();
    expect(layout.boxes[ids.ghost('TCP://nobody:4022')]).toBeDefined();
  });

  it('is no draft on that map when most instances are new', () => {
    const live = { ...estate(there), instances: [instance('PARIS', [database('Ventes', '4')])] };
    expect(isOnLiveMap(buildGraph(estate(there)), buildGraph(live))).toBe(false);
    expect(isOnLiveMap(buildGraph(estate(there)), buildGraph(estate()))).toBe(true);
  });
});
