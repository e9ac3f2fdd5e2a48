import { describe, expect, it } from 'vitest';

import { canvasEdges, canvasNodes, withLayers } from './flow-elements';
import { demoEstate } from '@/testing/demo-estate';

import { buildGraph } from '@/topology/graph';
import { countsOf, layerOf, withoutRoutesOf, type Layer } from '@/topology/layers';
import { everyRoute } from '@/topology/lookup';
import { outlineRows } from '@/topology/outline';
import { inColumns } from '@/topology/placing';

const estate = demoEstate();

function drawn(hidden: Layer[], isFolded = false) {
  const graph = buildGraph(estate, () => isFolded);
  const layout = inColumns(graph);
  return withLayers(
    {
      nodes: canvasNodes(graph, layout, new Map(), new Map()),
      edges: canvasEdges(graph, layout, new Map(), new Map()),
    },
    new Set(hidden),
  );
}

describe('the layers of the drawing', () => {
  it('holds every route in one layer, and counts them all', () => {
    const { services, ...lines } = countsOf(estate);
    const local = everyRoute(estate).filter(({ value }) => value.address_kind === 'local').length;
    const named = estate.instances.flatMap(({ databases }) =>
      databases.flatMap((database) => database.services),
    ).length;
    expect(services).toBe(named + local);
    expect(lines.routes + lines.forwarding + lines.mirrors + local).toBe(everyRoute(estate).length);
    expect(Math.min(lines.routes, lines.mirrors, lines.forwarding)).toBeGreaterThan(0);
  });

  it.each(['routes', 'forwarding', 'mirrors'] as const)('leaves out the lines of %s and no other', (layer) => {
    const all = drawn([]).edges;
    const left = drawn([layer]).edges.map(({ id }) => id);
    expect(left.length).toBeLessThan(all.length);
    for (const edge of all) {
      const isOfLayer = edge.kind === 'route' && layerOf(edge.line.path.database, edge.line.route) === layer;
      expect(left.includes(edge.id)).toBe(!isOfLayer);
    }
  });

  it('keeps boxes where they are, and takes away those to which no line leads any more', () => {
    const all = drawn([]).nodes;
    const left = drawn(['routes', 'forwarding', 'mirrors']).nodes;
    expect(left).toEqual(all.filter(({ type }) => type === 'instance' || type === 'database'));
  });

  it('counts on the line of a folded instance only what is shown', () => {
    const routesOn = (hidden: Layer[]) =>
      drawn(hidden, true).edges.reduce((sum, { line }) => sum + (line.kind === 'bundle' ? line.routes : 0), 0);
    const all = routesOn([]);
    const [routes, others] = [routesOn(['forwarding', 'mirrors']), routesOn(['routes'])];
    expect(routes + others).toBe(all);
    expect(Math.min(routes, others)).toBeGreaterThan(0);
    expect(drawn(['routes', 'forwarding', 'mirrors'], true).edges).toEqual([]);
  });

  it('draws what is selected although its layer is hidden', () => {
    const { nodes, edges } = drawn([]);
    const chosen = edges.map((edge) => (edge.kind === 'route' ? { ...edge, isSelected: true } : edge)).slice(0, 1);
    expect(withLayers({ nodes, edges: chosen }, new Set(['routes', 'forwarding', 'mirrors'])).edges).toEqual(chosen);
  });

  it('gives a selection of several no route that is hidden', () => {
    const left = everyRoute(withoutRoutesOf(estate, new Set(['mirrors'])));
    expect(left).toEqual(everyRoute(estate).filter(({ value }) => value.mirror_address === null));
  });

  it('leaves the same rows out of the outline, but not from what is looked for by name', () => {
    const open = new Set(outlineRows(estate, new Set(), '').map(({ id }) => id));
    const whole = new Set([...open, ...outlineRows(estate, open, '').map(({ id }) => id)]);
    const hidden = new Set(['services'] as const);
    const kinds = (wanted: string) => new Set(outlineRows(estate, whole, wanted, hidden).map(({ kind }) => kind));
    expect(kinds('')).toEqual(new Set(['instance', 'database', 'route']));
    expect(kinds('e').has('service')).toBe(true);
  });
});
