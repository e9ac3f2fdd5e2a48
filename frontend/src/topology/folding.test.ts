import { describe, expect, it } from 'vitest';

import { database, demoEstate, instance, routeTo } from '@/testing/demo-estate';

import { foldAll, isFolded, opensFolded, turn } from './folding';
import { buildGraph, ids } from './graph';
import { everyRoute } from './lookup';

const estate = demoEstate();

describe('folding', () => {
  it('opens a small estate whole, and one of many instances or boxes folded', () => {
    expect(opensFolded(estate)).toBe(false);
    const many = Array.from({ length: 6 }, (_, index) => instance(`I${index}`, []));
    expect(opensFolded({ ...estate, instances: many })).toBe(true);
    const crowded = Array.from({ length: 150 }, (_, index) => database(`D${index}`, 'a'));
    expect(opensFolded({ ...estate, instances: [instance('ONE', crowded)] })).toBe(true);
  });

  it('turns one instance over and back, whichever way the estate opened', () => {
    for (const first of [foldAll(true), foldAll(false)]) {
      const once = turn(first, 'PARIS');
      expect(isFolded(once, 'PARIS')).toBe(!first.isFoldedAtFirst);
      expect(isFolded(once, 'LYON')).toBe(first.isFoldedAtFirst);
      expect(isFolded(turn(once, 'PARIS'), 'PARIS')).toBe(first.isFoldedAtFirst);
    }
  });
});

describe('the drawing of folded instances', () => {
  const folded = buildGraph(estate, () => true);

  it('draws each instance small and no database', () => {
    const whole = buildGraph(estate);
    folded.instances.forEach((box, index) => {
      expect(box.databases).toEqual([]);
      expect(box.height).toBeLessThan(whole.instances[index]?.height ?? 0);
    });
  });

  it('sums up the routes of an instance to another one in one line, and loses none', () => {
    const bundles = folded.lines.filter((line) => line.kind === 'bundle');
    expect(bundles).toHaveLength(folded.lines.length);
    expect(new Set(bundles.map((line) => line.id)).size).toBe(bundles.length);
    const leaving = everyRoute(estate).filter(({ value }) => value.address_kind !== 'local');
    const prongs = leaving.filter(({ value }) => value.mirror_address !== null);
    expect(bundles.reduce((sum, line) => sum + line.routes, 0)).toBe(leaving.length + prongs.length);
  });

  it('counts the expired ones, and calls the addresses of nobody together elsewhere', () => {
    const paris = instance('PARIS', [
      database('Ventes', 'a', {
        routes: [
          routeTo('one', 'LYON'),
          routeTo('two', 'LYON', { is_expired: true }),
          routeTo('three', 'NOWHERE', { target_instance: null }),
          routeTo('four', 'NOBODY', { target_instance: null }),
        ],
      }),
    ]);
    const graph = buildGraph({ ...estate, instances: [paris, instance('LYON', [])] }, () => true);
    expect(graph.others.map((box) => [box.kind, box.id])).toEqual([['elsewhere', ids.elsewhere]]);
    expect(graph.lines).toMatchObject([
      { target: ids.instance('LYON'), routes: 2, expired: 1 },
      { target: ids.elsewhere, routes: 2, expired: 0 },
    ]);
  });

  it('keeps the routes of an unfolded instance as they are, also to a folded one', () => {
    const mixed = buildGraph(estate, (name) => name !== 'PARIS');
    const own = mixed.lines.filter((line) => line.source === ids.instance('PARIS'));
    expect(own.every((line) => line.kind === 'route')).toBe(true);
    expect(own.map((line) => line.id)).toEqual(
      buildGraph(estate)
        .lines.filter((line) => line.source === ids.instance('PARIS'))
        .map((line) => line.id),
    );
  });
});
