// Where boxes stand that somebody has put somewhere, or of which there are too many to be arranged by their lines while
// one waits.
import type { Graph, InstanceBox, SmallBox } from './graph';
import type { Layout, Point } from './layout';
import { boxesOf, wayOf } from './ways';

type Box = InstanceBox | SmallBox;

/**
 * Beyond these the layout engine takes seconds: an estate opens in columns, and is arranged by its lines on command.
 */
const arranged = { boxesMax: 80, linesMax: 300 } as const;
const gutter = 120;
const gap = 32;
const wantedShape = 1.75;

/** Whether an estate is laid out in columns, by the names of its instances, rather than by its lines. */
export function opensInColumns(graph: Graph): boolean {
  return graph.instances.length + graph.others.length > arranged.boxesMax || graph.lines.length > arranged.linesMax;
}

/** Instances in columns, in the order of their names; what belongs to one of them alone stands below it. */
export function inColumns(graph: Graph): Layout {
  const boxes = inReadingOrder(graph);
  const width = Math.max(1, ...boxes.map((box) => box.width)) + gutter;
  const total = boxes.reduce((sum, box) => sum + box.height + gap, 0);
  const columns = Math.max(1, Math.round(Math.sqrt((total * wantedShape) / width)));
  const room = total / columns;
  const places: Record<string, Point> = {};
  let [column, y] = [0, 0];
  for (const box of boxes) {
    if (y > 0 && y + box.height / 2 > room && column < columns - 1) {
      column += 1;
      y = 0;
    }
    places[box.id] = { x: column * width, y };
    y += box.height + gap;
  }
  return drawn(graph, { boxes: places, lines: {} }, new Set(Object.keys(places)));
}

/** Forks and next hops belong to the instance from which their line comes. */
function ownersIn(graph: Graph): ReadonlyMap<string, string> {
  return new Map(
    graph.lines
      .filter(({ target }) => /^(?:fork|transport)\//.test(target))
      .map(({ source, target }) => [target, source]),
  );
}

function inReadingOrder(graph: Graph): Box[] {
  const owners = ownersIn(graph);
  const owned = (instance: string) => graph.others.filter((box) => owners.get(box.id) === instance);
  return [
    ...graph.instances.flatMap((box) => [box, ...owned(box.id)]),
    ...graph.others.filter((box) => !owners.has(box.id)),
  ];
}

/** The part of a graph that some instances make up, with what belongs to them alone and the lines among them. */
export function partOf(graph: Graph, chosen: ReadonlySet<string>): Graph {
  const owners = ownersIn(graph);
  const instances = graph.instances.filter(({ id }) => chosen.has(id));
  const others = graph.others.filter(({ id }) => chosen.has(owners.get(id) ?? ''));
  const ids = new Set([...instances, ...others].map(({ id }) => id));
  return { instances, others, lines: graph.lines.filter(({ source, target }) => ids.has(source) && ids.has(target)) };
}

/**
 * Where the boxes of an arranged part stand in the whole drawing, whose boxes are `at` their places: where the part
 * began, or, when it would cover another box there, below all of them. No other box has to move.
 */
export function putBack(
  part: Graph,
  arranged: Layout,
  graph: Graph,
  at: ReadonlyMap<string, Point>,
): Map<string, Point> {
  const own = boxesOf(part);
  const area = areaOf([...own.values()].flatMap((box) => placed(box, arranged.boxes[box.id])));
  const before = areaOf([...own.values()].flatMap((box) => placed(box, at.get(box.id))));
  const others = [...boxesOf(graph).values()]
    .filter(({ id }) => !own.has(id))
    .flatMap((box) => placed(box, at.get(box.id)));
  const [width, height] = [area.right - area.left, area.bottom - area.top];
  const isFree = others.every(
    (box) =>
      box.right + gap <= before.left ||
      box.left >= before.left + width + gap ||
      box.bottom + gap <= before.top ||
      box.top >= before.top + height + gap,
  );
  const top = isFree ? before.top : areaOf(others).bottom + 2 * gap;
  return new Map(
    [...own.keys()].flatMap((id) => {
      const place = arranged.boxes[id];
      return place === undefined
        ? []
        : [[id, { x: Math.round(before.left + place.x - area.left), y: Math.round(top + place.y - area.top) }]];
    }),
  );
}

type Area = { left: number; top: number; right: number; bottom: number };

function placed({ width, height }: Box, place: Point | undefined): Area[] {
  return place === undefined ? [] : [{ left: place.x, top: place.y, right: place.x + width, bottom: place.y + height }];
}

function areaOf(areas: readonly Area[]): Area {
  return areas.reduce(
    (all, one) => ({
      left: Math.min(all.left, one.left),
      top: Math.min(all.top, one.top),
      right: Math.max(all.right, one.right),
      bottom: Math.max(all.bottom, one.bottom),
    }),
    { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity },
  );
}

/** A layout in which some boxes stand where somebody has put them; the others make room. */
export function withPlaces(graph: Graph, layout: Layout, put: ReadonlyMap<string, Point>): Layout {
  if (![...put.keys()].some((id) => layout.boxes[id] !== undefined)) {
    return layout;
  }
  const boxes: Record<string, Point> = { ...layout.boxes };
  const moved = new Set<string>();
  const all = boxesOf(graph);
  const fixed: { box: Box; at: Point }[] = [];
  for (const [id, at] of put) {
    const box = all.get(id);
    if (box !== undefined && boxes[id] !== undefined) {
      boxes[id] = at;
      moved.add(id);
      fixed.push({ box, at });
    }
  }
  for (const [id, owner] of ownersIn(graph)) {
    const [from, to, at] = [layout.boxes[owner], boxes[owner], boxes[id]];
    if (moved.has(owner) && !moved.has(id) && from !== undefined && to !== undefined && at !== undefined) {
      boxes[id] = { x: at.x + to.x - from.x, y: at.y + to.y - from.y };
      moved.add(id);
    }
  }
  for (const box of all.values()) {
    const at = boxes[box.id];
    if (at !== undefined && !moved.has(box.id)) {
      const free = belowAll(box, at, fixed);
      if (free.y !== at.y) {
        boxes[box.id] = free;
        moved.add(box.id);
      }
    }
  }
  return drawn(graph, { boxes, lines: layout.lines }, moved);
}

/** The nearest place straight below at which a box covers none of `fixed`. */
export function belowAll(box: Box, at: Point, fixed: readonly { box: Box; at: Point }[]): Point {
  let { y } = at;
  for (const other of fixed.toSorted((one, next) => one.at.y - next.at.y)) {
    const isBeside = at.x >= other.at.x + other.box.width + gap / 2 || at.x + box.width + gap / 2 <= other.at.x;
    const isApart = y >= other.at.y + other.box.height + gap / 2 || y + box.height + gap / 2 <= other.at.y;
    if (!isBeside && !isApart) {
      y = other.at.y + other.box.height + gap;
    }
  }
  return { x: at.x, y };
}

/** The layout with new ways for all lines of the boxes that have moved, and its bounds. */
export function drawn(
  graph: Graph,
  { boxes, lines }: Pick<Layout, 'boxes' | 'lines'>,
  moved: ReadonlySet<string>,
): Layout {
  const all = boxesOf(graph);
  const ways: Record<string, Layout['lines'][string]> = {};
  for (const line of graph.lines) {
    const isMoved = moved.has(line.source) || moved.has(line.target);
    const way = isMoved || lines[line.id] === undefined ? wayOf(line, all, boxes) : lines[line.id];
    if (way !== undefined && way !== null) {
      ways[line.id] = way;
    }
  }
  return { ...bounds(all, boxes, ways), boxes, lines: ways };
}

const margin = 6;

function bounds(
  all: ReadonlyMap<string, Box>,
  boxes: Layout['boxes'],
  ways: Layout['lines'],
): Pick<Layout, 'left' | 'top' | 'width' | 'height'> {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const reach = (x: number, y: number) => {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x);
    bottom = Math.max(bottom, y);
  };
  for (const [id, { x, y }] of Object.entries(boxes)) {
    const box = all.get(id);
    reach(x, y);
    reach(x + (box?.width ?? 0), y + (box?.height ?? 0));
  }
  for (const { points } of Object.values(ways)) {
    for (const { x, y } of points) {
      reach(x, y);
    }
  }
  return left === Infinity
    ? { left: 0, top: 0, width: 0, height: 0 }
    : { left: left - margin, top: top - margin, width: right - left + 2 * margin, height: bottom - top + 2 * margin };
}
