import { describe, expect, it } from 'vitest';

import { back, hop, stuck, there } from '@/testing/answers';
import { demoEstate } from '@/testing/demo-estate';

import { buildGraph, ids } from './graph';
import { boxesOnPath, endBoxes, losersOf, partOfLine, pathHops, type ShownPath } from './path';

const estate = demoEstate();
const open = buildGraph(estate);

function pathOf(way: typeof there, more: Partial<ShownPath> = {}): ShownPath {
  return {
    hops: pathHops(way.hops),
    all: pathHops(way.hops),
    now: null,
    losers: new Set(),
    end: { verdict: 'delivered', word: 'Delivered', boxes: endBoxes(way) },
    ...more,
  };
}

const marked = (path: ShownPath, graph = open) =>
  Object.fromEntries(
    graph.lines.flatMap((line) => {
      const part = partOfLine(path, line);
      return part === null ? [] : [[line.id, part]];
    }),
  );

describe('the lines of a way', () => {
  it('are those of the routes that decided, the one that is explained apart', () => {
    expect(marked(pathOf(there, { now: 2 }))).toEqual({
      'route/PARIS/Ventes/VersBerlin': 'on',
      'route/HUB/msdb/ToBerlin': 'now',
    });
  });

  it('are with those that were considered, when they are asked for', () => {
    const first = there.hops[0];
    expect(first && marked(pathOf(there, { losers: losersOf(first) }))).toMatchObject({
      'route/PARIS/Ventes/VersLyon': 'loser',
    });
  });

  it('are of a mirrored route the stem and the prong that is dialled', () => {
    const mirrored = hop('PARIS', 'Ventes', { route: 'VersStock', next_instance: 'LYON', address: 'TCP://lyon:4022' });
    expect(marked(pathOf({ ...there, hops: [mirrored] }))).toEqual({
      'route/PARIS/Ventes/VersStock': 'on',
      'route/PARIS/Ventes/VersStock#mirror': 'on',
    });
  });

  it('are bundles where an instance is folded, to addresses of nobody as well', () => {
    const folded = buildGraph(estate, () => true);
    expect(marked(pathOf(there), folded)).toEqual({
      [ids.bundle('PARIS', 'HUB')]: 'on',
      [ids.bundle('HUB', 'BERLIN')]: 'on',
    });
    const away = hop('PARIS', 'Ventes', { route: 'Partenaire', address: 'TCP://partenaire.example:4022' });
    expect(Object.keys(marked(pathOf({ ...there, hops: [away] }), folded))).toEqual([ids.bundle('PARIS', '')]);
  });
});

describe('the boxes of a way', () => {
  it('are the tables that are read, what is passed, and where it ends', () => {
    expect([...boxesOnPath(pathOf(there), open.lines)].sort()).toEqual([
      'database/BERLIN/Lagerverwaltung',
      'database/BERLIN/msdb',
      'database/HUB/msdb',
      'database/PARIS/Ventes',
      'instance/BERLIN',
      'instance/HUB',
      'instance/PARIS',
    ]);
  });

  it('end at the database that keeps a message, and at the gate of the instance that is left without a way on', () => {
    expect(endBoxes(stuck)).toEqual(['database/PARIS/Ventes', 'instance/PARIS']);
    expect(endBoxes({ ...there, hops: there.hops.slice(0, 2), instance: 'HUB', database: null })[0]).toBe(
      'database/HUB/msdb',
    );
    expect(endBoxes({ ...back, hops: [] })[0]).toBe('database/PARIS/Ventes');
  });

  it('include the ghost of an address that belongs to nobody', () => {
    const away = hop('PARIS', 'Ventes', { route: 'Partenaire', address: 'TCP://partenaire.example:4022' });
    expect(boxesOnPath(pathOf({ ...there, hops: [away] }), open.lines)).toContain(
      ids.ghost('TCP://partenaire.example:4022'),
    );
  });
});
