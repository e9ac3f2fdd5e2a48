import { describe, expect, it } from 'vitest';

import { demoEstate } from '@/testing/demo-estate';

import { buildGraph, ids } from './graph';
import type { Layout, Point } from './layout';
import { inColumns, withPlaces, partOf, putBack } from './placing';
import { boxesOf } from './ways';

const graph = buildGraph(demoEstate());
const boxes = boxesOf(graph);

function covering({ boxes: places }: Layout): string[] {
  const all = [...boxes.values()].flatMap((box) => {
    const at: Point | undefined = places[box.id];
    return at === undefined ? [] : [{ box, at }];
  });
  return all.flatMap(({ box, at }, index) =>
    all
      .slice(index + 1)
      .flatMap((other) =>
        at.x < other.at.x + other.box.width &&
        other.at.x < at.x + box.width &&
        at.y < other.at.y + other.box.height &&
        other.at.y < at.y + box.height
          ? [`${box.id} and ${other.box.id}`]
          : [],
      ),
  );
}

describe('an estate in columns', () => {
  const layout = inColumns(graph);

  it('has a place for every box, and none upon another', () => {
    expect(Object.keys(layout.boxes).toSorted()).toEqual([...boxes.keys()].toSorted());
    expect(covering(layout)).toEqual([]);
  });

  it('has a way for every line, from the right edge of a box to the left edge of another', () => {
    for (const line of graph.lines) {
      const points = layout.lines[line.id]?.points ?? [];
      const [source, target] = [boxes.get(line.source), layout.boxes[line.target]];
      expect(points[0]?.x).toBe((layout.boxes[line.source]?.x ?? NaN) + (source?.width ?? NaN));
      expect(points.at(-1)?.x).toBe(target?.x);
    }
  });

  it('holds all of it within its bounds', () => {
    for (const { points } of Object.values(layout.lines)) {
      for (const { x, y } of points) {
        expect(x).toBeGreaterThanOrEqual(layout.left);
        expect(x).toBeLessThanOrEqual(layout.left + layout.width);
        expect(y).toBeGreaterThanOrEqual(layout.top);
        expect(y).toBeLessThanOrEqual(layout.top + layout.height);
      }
    }
  });
});

describe('boxes that were put somewhere', () => {
  const layout = inColumns(graph);
  const [first, second] = graph.instances.map((box) => box.id);

  it('stand there, and the others make room', () => {
    const put = new Map([[first ?? '', layout.boxes[second ?? ''] ?? { x: 0, y: 0 }]]);
    const placed = withPlaces(graph, layout, put);
    expect(placed.boxes[first ?? '']).toEqual(put.get(first ?? ''));
    const clashes = covering(placed).filter((pair) => pair.includes(first ?? ''));
    expect(clashes).toEqual([]);
  });

  it('leave the lines of all others as they were', () => {
    const placed = withPlaces(graph, layout, new Map([[first ?? '', { x: -900, y: -900 }]]));
    for (const line of graph.lines.filter(
      ({ source, target }) =>
        placed.boxes[source] === layout.boxes[source] && placed.boxes[target] === layout.boxes[target],
    )) {
      expect(placed.lines[line.id]).toBe(layout.lines[line.id]);
    }
    expect(placed.left).toBeLessThanOrEqual(-900);
  });

  it('change nothing when they are not drawn', () => {
    expect(withPlaces(graph, layout, new Map([[ids.instance('NOBODY'), { x: 0, y: 0 }]]))).toBe(layout);
  });
});

describe('a part that is arranged by itself', () => {
  const graph = buildGraph(demoEstate());
  const layout = inColumns(graph);
  const at = new Map(Object.entries(layout.boxes));
  const some = new Set(graph.instances.slice(0, 2).map(({ id }) => id));

  it('has the lines among its boxes and what belongs to them alone', () => {
    const part = partOf(graph, some);
    expect(part.instances.map(({ id }) => id)).toEqual([...some]);
    const own = new Set([...part.instances, ...part.others].map(({ id }) => id));
    expect(part.others.every(({ kind }) => kind === 'fork' || kind === 'transport')).toBe(true);
    expect(graph.lines.filter(({ source, target }) => own.has(source) && own.has(target))).toEqual(part.lines);
  });

  it('covers no box that is not of it, however large it became', () => {
    const part = partOf(graph, some);
    const size = 2000;
    const spread = {
      ...layout,
      boxes: Object.fromEntries(
        [...part.instances, ...part.others].map(({ id }, index) => [id, { x: index * size, y: index * size }]),
      ),
    };
    const put = putBack(part, spread, graph, at);
    expect([...put.keys()].toSorted()).toEqual([...part.instances, ...part.others].map(({ id }) => id).toSorted());
    const all = { ...layout.boxes, ...Object.fromEntries(put) };
    const boxes = [...graph.instances, ...graph.others].map((box) => ({
      ...box,
      ...(all[box.id] ?? { x: NaN, y: NaN }),
    }));
    for (const own of boxes.filter(({ id }) => put.has(id))) {
      for (const other of boxes.filter(({ id }) => !put.has(id))) {
        const isApart =
          own.x + own.width <= other.x ||
          other.x + other.width <= own.x ||
          own.y + own.height <= other.y ||
          other.y + other.height <= own.y;
        expect(isApart, `${own.id} covers ${other.id}`).toBe(true);
      }
    }
  });

  it('stays where it was when there is room', () => {
    const one = new Set(graph.instances.slice(0, 1).map(({ id }) => id));
    const part = partOf(graph, one);
    const put = putBack(part, layout, graph, at);
    expect(Object.fromEntries(put)).toEqual(Object.fromEntries([...put.keys()].map((id) => [id, layout.boxes[id]])));
  });
});
