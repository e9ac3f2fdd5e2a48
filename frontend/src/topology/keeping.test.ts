import ELK, { type ElkNode } from 'elkjs/lib/elk.bundled.js';
import { describe, expect, it } from 'vitest';

import { database, demoEstate, instance, route, routeTo } from '@/testing/demo-estate';

import { buildGraph, ids, type Graph } from './graph';
import { keepingOf, type Keeping } from './keeping';
import { bestArranged, layoutQuestions, readAnswer, type ElkQuestion, type Layout } from './layout';
import { boxesOf } from './ways';

/** The engine itself; it writes into what it is given. */
async function ask(question: ElkQuestion): Promise<Layout> {
  const answer: ElkNode = await new ELK().layout(structuredClone(question));
  return readAnswer(answer);
}

const arranged = async (graph: Graph) => (await bestArranged(layoutQuestions(graph), null, ask)).layout;

/** Lyon answers Paris; what Paris has of its own is to be seen. */
function pair(...routes: ReturnType<typeof route>[]): Graph {
  const back = routeTo('Back', 'PARIS', { service_name: '//exemple.fr/Ventes/Guichet' });
  return buildGraph({
    ...demoEstate(),
    instances: [
      instance('LYON', [database('msdb', '1'), database('Stock', '2', { routes: [back] })]),
      instance('PARIS', [database('msdb', '3'), database('Ventes', '4', { routes })]),
    ],
  });
}

const there = routeTo('There', 'LYON', { service_name: '//exemple.fr/Stock/Suivi' });
const [lyon, paris] = [ids.instance('LYON'), ids.instance('PARIS')];

function kept(graph: Graph, before: { graph: Graph; layout: Layout }): Keeping {
  const keeping = keepingOf(graph, before);
  if (keeping === null) {
    throw new Error('It is another drawing.');
  }
  return keeping;
}

describe('a drawing that changes', () => {
  it('has its instances on the sides where they were, also where another arrangement is more compact', async () => {
    const before = { graph: pair(), layout: await arranged(pair()) };
    const after = pair(there);
    const keeping = kept(after, before);
    const fresh = await arranged(after);
    expect(before.layout.boxes[lyon]?.x).toBeLessThan(before.layout.boxes[paris]?.x ?? NaN);
    // Arranged anew the two change their sides: that is what is to be kept from happening.
    expect(fresh.boxes[lyon]?.x).toBeGreaterThan(fresh.boxes[paris]?.x ?? NaN);
    expect(keeping.isKept(fresh)).toBe(false);
    const layout = await ask(keeping.question);
    expect(keeping.isKept(layout)).toBe(true);
    expect(layout.boxes[lyon]?.x).toBeLessThan(layout.boxes[paris]?.x ?? NaN);
    expect(Object.keys(layout.lines).toSorted()).toEqual(after.lines.map(({ id }) => id).toSorted());
  });

  it('finds a place for what has come, on no other box', async () => {
    const before = { graph: pair(there), layout: await arranged(pair(there)) };
    const after = pair(there, route('Out', { address: 'TCP://nobody:4022', address_kind: 'tcp' }));
    const keeping = kept(after, before);
    const layout = await ask(keeping.question);
    expect(keeping.isKept(layout)).toBe(true);
    const boxes = [...boxesOf(after).values()];
    for (const [index, one] of boxes.entries()) {
      const at = layout.boxes[one.id] ?? { x: NaN, y: NaN };
      for (const other of boxes.slice(index + 1)) {
        const next = layout.boxes[other.id] ?? { x: NaN, y: NaN };
        const isBeside = at.x + one.width <= next.x || next.x + other.width <= at.x;
        const isApart = at.y + one.height <= next.y || next.y + other.height <= at.y;
        expect(isBeside || isApart).toBe(true);
      }
    }
  });

  it('is another one when instances are folded, or most of them have come', async () => {
    const before = { graph: pair(), layout: await arranged(pair()) };
    expect(keepingOf(buildGraph(demoEstate()), before)).toBeNull();
    const estate = { ...demoEstate(), instances: before.graph.instances.map((box) => box.instance) };
    expect(
      keepingOf(
        buildGraph(estate, () => true),
        before,
      ),
    ).toBeNull();
    expect(keepingOf(buildGraph(estate), before)).not.toBeNull();
  });
});
