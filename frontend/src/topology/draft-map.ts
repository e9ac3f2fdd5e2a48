// A draft on the map of what runs: what is live stays where it is, only what is new is placed, and routes that the draft
// deletes are still drawn.
import type { Estate } from '@/contracts/api';

import { ids, type Graph, type InstanceBox, type Line, type SmallBox } from './graph';
import { isSameDrawing, placesIn, type Drawn } from './keeping';
import type { Layout, Point } from './layout';
import { belowAll, drawn } from './placing';
import { boxesOf } from './ways';

/** What a draft does to an object that is drawn. */
export type DraftMark = 'changed' | 'removed';
/** By the id under which an object is drawn. */
export type DraftMarks = ReadonlyMap<string, DraftMark>;

/**
 * The estate of a draft with the routes that it takes from the live one still in it, and their ids. Routes of databases
 * that the draft does not have are not among them.
 */
export function withRemovedRoutes(estate: Estate, live: Estate): { estate: Estate; removed: readonly string[] } {
  const removed: string[] = [];
  const instances = estate.instances.map((instance) => {
    const before = live.instances.find(({ name }) => name === instance.name);
    return {
      ...instance,
      databases: instance.databases.map((database) => {
        const path = { instance: instance.name, database: database.name };
        const names = new Set(database.routes.map(({ name }) => name));
        const routes = before?.databases.find(({ name }) => name === database.name)?.routes ?? [];
        const gone = routes.filter(({ name }) => !names.has(name));
        removed.push(...gone.map(({ name }) => ids.route(path, name)));
        return gone.length === 0 ? database : { ...database, routes: [...database.routes, ...gone] };
      }),
    };
  });
  return removed.length === 0 ? { estate, removed } : { estate: { ...estate, instances }, removed };
}

/** Whether a draft is drawn on the map of what runs: not where most of its instances are new. */
export function isOnLiveMap(graph: Graph, live: Graph): boolean {
  return isSameDrawing(graph, live);
}

/**
 * The layout of a draft on that of what runs. Boxes stay where they are, except those that a box which has grown would
 * cover: they make room below it. New boxes stand beside what their line comes from or leads to. Only lines whose ends
 * have moved, or that are new, are drawn another way.
 */
export function onLiveMap(graph: Graph, live: Drawn): Layout {
  const was = boxesOf(live.graph);
  const wanted = placesIn(graph, live.layout);
  const order = [...boxesOf(graph).values()].toSorted(
    (one, other) => Number(was.has(other.id)) - Number(was.has(one.id)) || yOf(wanted, one.id) - yOf(wanted, other.id),
  );
  const places: Record<string, Point> = {};
  const fixed: { box: InstanceBox | SmallBox; at: Point }[] = [];
  const changed = new Set<string>();
  const firstNew = order.findIndex(({ id }) => !was.has(id));
  order.forEach((box, index) => {
    const at = wanted.get(box.id) ?? { x: 0, y: 0 };
    // A new box keeps clear of all others, one that was there only of those that have grown or made room.
    const isNew = firstNew !== -1 && index >= firstNew;
    const others = isNew ? fixed : fixed.filter((other) => changed.has(other.box.id));
    const to = belowAll(box, at, others);
    places[box.id] = to;
    fixed.push({ box, at: to });
    if (isNew || to.y !== at.y || shapeOf(box) !== shapeOf(was.get(box.id))) {
      changed.add(box.id);
    }
  });
  const before = new Map(live.graph.lines.map((line) => [line.id, line]));
  const kept = graph.lines.flatMap((line) => {
    const way = live.layout.lines[line.id];
    return way !== undefined && endsOf(line) === endsOf(before.get(line.id)) ? [[line.id, way] as const] : [];
  });
  return drawn(graph, { boxes: places, lines: Object.fromEntries(kept) }, changed);
}

function yOf(places: ReadonlyMap<string, Point>, id: string): number {
  return places.get(id)?.y ?? 0;
}

/** Where lines meet a box. */
function shapeOf(box: InstanceBox | SmallBox | undefined): string {
  return box?.kind === 'instance'
    ? JSON.stringify([box.height, box.portY, box.databases.map(({ id, y }) => [id, y])])
    : String(box?.height);
}

function endsOf(line: Line | undefined): string {
  return line === undefined
    ? ''
    : JSON.stringify([line.source, line.sourcePort, line.target, line.targetPort, line.label?.width]);
}
