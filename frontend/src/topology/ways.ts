// Ways of lines between boxes that no layout engine has placed: from the right edge of one to the left edge of another,
// with corners only where they must be.
import type { Graph, InstanceBox, Line, SmallBox } from './graph';
import { outY, type Layout, type Point } from './layout';

type Way = Layout['lines'][string];
type Places = Readonly<Record<string, Point>>;
type Boxes = ReadonlyMap<string, InstanceBox | SmallBox>;

const stub = 26;
/** Lines that would lie upon each other are drawn this far apart, on so many tracks. */
const track = { apart: 9, count: 5 } as const;

/** Every box of a graph by its id. */
export function boxesOf(graph: Graph): Boxes {
  return new Map<string, InstanceBox | SmallBox>([...graph.instances, ...graph.others].map((box) => [box.id, box]));
}

/** The way of a line between boxes at `places`; null when one of them has none. */
export function wayOf(line: Line, boxes: Boxes, places: Places): Way | null {
  const start = portOf(boxes.get(line.source), line.sourcePort, places);
  const end = portOf(boxes.get(line.target), line.targetPort, places);
  if (start === null || end === null) {
    return null;
  }
  const points = corners(start, end, trackOf(line.id));
  const { label } = line;
  return { points, label: label === null ? null : centred(middle(points), label) };
}

function portOf(box: InstanceBox | SmallBox | undefined, port: string, places: Places): Point | null {
  const place = box === undefined ? undefined : places[box.id];
  if (box === undefined || place === undefined) {
    return null;
  }
  const isIn = port === 'in';
  const y = box.kind !== 'instance' ? box.height / 2 : isIn || box.isFolded ? box.portY : outOf(box, port);
  return { x: place.x + (isIn ? 0 : box.width), y: place.y + y };
}

function outOf(box: InstanceBox, port: string): number {
  return outY(box, decodeURIComponent(port.slice(port.indexOf('/') + 1)));
}

function corners(start: Point, end: Point, offset: number): Point[] {
  if (end.x - start.x >= 2 * stub) {
    const x = (start.x + end.x) / 2 + offset;
    return start.y === end.y ? [start, end] : [start, { x, y: start.y }, { x, y: end.y }, end];
  }
  const y = (start.y + end.y) / 2 + offset;
  const [out, into] = [start.x + stub + offset / 2, end.x - stub + offset / 2];
  return [start, { x: out, y: start.y }, { x: out, y }, { x: into, y }, { x: into, y: end.y }, end];
}

/** The same line is always drawn on the same track. */
function trackOf(id: string): number {
  let sum = 0;
  for (const sign of id) {
    sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 65_521;
  }
  return ((sum % track.count) - (track.count - 1) / 2) * track.apart;
}

function middle(points: readonly Point[]): Point {
  const lengths = points.slice(1).map((point, index) => distance(points[index] ?? point, point));
  let rest = lengths.reduce((sum, length) => sum + length, 0) / 2;
  for (const [index, length] of lengths.entries()) {
    const [from, to] = [points[index], points[index + 1]];
    if (rest <= length && from !== undefined && to !== undefined) {
      const share = length === 0 ? 0 : rest / length;
      return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
    }
    rest -= length;
  }
  return points[0] ?? { x: 0, y: 0 };
}

function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

function centred({ x, y }: Point, { width, height }: { width: number; height: number }): Point {
  return { x: x - width / 2, y: y - height / 2 };
}
