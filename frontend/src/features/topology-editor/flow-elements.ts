// A laid-out graph as the canvas library wants it: nodes and edges with explicit sizes, names for screen readers, and
// what each of them selects.
import { Position, type Edge, type Node, type NodeHandle } from '@xyflow/react';

import { markWords, type Mark, type Marks } from '@/topology/findings';
import { ids, type BundleLine, type DatabaseBox, type Graph, type InstanceBox, type RouteLine, type SmallBox } from '@/topology/graph';
import { outY, type Layout, type Point } from '@/topology/layout';
import { formatSelection, type Selection } from '@/topology/selection';
import { counted } from '@/topology/words';

export type InstanceNodeType = Node<{ box: InstanceBox; mark: Mark | undefined }, 'instance'>;
export type DatabaseNodeType = Node<{ box: DatabaseBox; pending: ReadonlySet<string>; mark: Mark | undefined }, 'database'>;
export type SmallNodeType = Node<{ box: SmallBox }, 'ghost' | 'elsewhere' | 'transport' | 'fork'>;
export type CanvasNode = InstanceNodeType | DatabaseNodeType | SmallNodeType;
export type RouteEdgeType = Edge<
  { line: RouteLine; points: readonly Point[]; label: Point | null; isPending: boolean; mark: Mark | undefined },
  'route'
>;
export type BundleEdgeType = Edge<{ line: BundleLine; points: readonly Point[]; label: Point | null }, 'bundle'>;
export type CanvasEdge = RouteEdgeType | BundleEdgeType;

const fixed = { draggable: false, connectable: false, deletable: false } as const;

function handle(id: string, type: 'source' | 'target', x: number, y: number): NodeHandle {
  return { id, type, x, y, width: 1, height: 1, position: type === 'target' ? Position.Left : Position.Right };
}

export function canvasNodes(
  graph: Graph,
  layout: Layout,
  selected: string | null,
  pending: ReadonlySet<string>,
  marks: Marks,
): CanvasNode[] {
  return [
    ...graph.instances.flatMap((box) => instanceNodes(box, layout, selected, pending, marks)),
    ...graph.others.map((box) => smallNode(box, layout, selected)),
  ];
}

function instanceNodes(
  box: InstanceBox,
  layout: Layout,
  selected: string | null,
  pending: ReadonlySet<string>,
  marks: Marks,
): CanvasNode[] {
  const { instance } = box;
  const place = formatSelection({ kind: 'instance', instance: instance.name });
  const card: InstanceNodeType = {
    ...fixed,
    id: box.id,
    type: 'instance',
    position: layout.boxes[box.id] ?? { x: 0, y: 0 },
    width: box.width,
    height: box.height,
    handles: [
      handle(ids.portIn, 'target', 0, box.portY),
      ...(box.isFolded ? [handle(ids.portOfAll, 'source', box.width, box.portY)] : []),
      ...box.databases.map(({ path }) => handle(ids.portOut(path.database), 'source', box.width, outY(box, path.database))),
    ],
    data: { box, mark: marks.get(place) },
    selected: selected === place,
    ariaLabel: instanceName(box) + withMark(marks.get(place)),
  };
  return [
    card,
    ...box.databases.map((database) => databaseNode(box, database, selected, pending, marks)),
  ];
}

function databaseNode(
  box: InstanceBox,
  database: DatabaseBox,
  selected: string | null,
  pending: ReadonlySet<string>,
  marks: Marks,
): DatabaseNodeType {
  const place = formatSelection({ kind: 'database', ...database.path });
  const mark = marks.get(place);
  return {
      ...fixed,
      id: database.id,
      type: 'database',
      parentId: box.id,
      position: { x: database.x, y: database.y },
      width: database.width,
      height: database.height,
      data: { box: database, pending, mark },
      selected: selected === place,
      ariaLabel: databaseName(database) + withMark(mark),
  };
}

function withMark(mark: Mark | undefined): string {
  return mark === undefined ? '' : `, ${markWords(mark)}`;
}

function instanceName({ instance, isFolded }: InstanceBox): string {
  const endpoint =
    instance.endpoint === null
      ? 'no endpoint'
      : `port ${instance.endpoint.port}, endpoint ${instance.endpoint.state.toLowerCase()}`;
  const forwarding = instance.endpoint?.is_message_forwarding_enabled === true ? ', forwards messages' : '';
  return `Instance ${instance.name}, ${endpoint}${forwarding}, ${counted(instance.databases.length, 'database')}${isFolded ? ', folded' : ''}`;
}

function databaseName({ path, database, isGate }: DatabaseBox): string {
  const gate = isGate ? ', the gate for what arrives' : '';
  const mirror = database.partner_address === null ? '' : `, ${database.state === 'mirror' ? 'mirror' : 'principal'} of a mirrored pair`;
  const broker = database.is_broker_enabled ? 'broker enabled' : 'broker disabled';
  const counts = `${counted(database.services.length, 'service')}, ${counted(database.routes.length, 'route')}`;
  return `Database ${path.database} of ${path.instance}${gate}${mirror}, ${broker}, ${counts}`;
}

function smallBoxName(box: SmallBox): string {
  switch (box.kind) {
    case 'ghost':
      return `Address ${box.text}, no instance of this estate`;
    case 'elsewhere':
      return 'Addresses of no instance of this estate';
    case 'transport':
      return 'Next hop taken from the service name';
    case 'fork':
      return 'Fork to the two partners of a mirrored route';
  }
}

function smallNode(box: SmallBox, layout: Layout, selected: string | null): SmallNodeType {
  const isGhost = box.kind === 'ghost';
  return {
    ...fixed,
    id: box.id,
    type: box.kind,
    position: layout.boxes[box.id] ?? { x: 0, y: 0 },
    width: box.width,
    height: box.height,
    handles: [
      handle(ids.portIn, 'target', 0, box.height / 2),
      ...(box.kind === 'fork' ? [handle('fork', 'source', box.width, box.height / 2)] : []),
    ],
    data: { box },
    selectable: isGhost,
    focusable: isGhost,
    selected: isGhost && selected === formatSelection({ kind: 'ghost', address: box.text }),
    ariaLabel: smallBoxName(box),
    // What cannot be selected is a picture to a screen reader; without a role it may not have a name.
    ...(isGhost ? {} : { ariaRole: 'img' as const }),
  };
}

export function canvasEdges(
  graph: Graph,
  layout: Layout,
  selected: string | null,
  pending: ReadonlySet<string>,
  marks: Marks,
): CanvasEdge[] {
  return graph.lines.flatMap((line): CanvasEdge[] => {
    const place = layout.lines[line.id];
    if (place === undefined) {
      return [];
    }
    return [line.kind === 'route' ? routeEdge(line, place, selected, pending, marks) : bundleEdge(line, place)];
  });
}

type Place = Layout['lines'][string];

function ends({ source, sourcePort, target, targetPort }: RouteLine | BundleLine) {
  return { source, sourceHandle: sourcePort, target, targetHandle: targetPort, deletable: false, reconnectable: false } as const;
}

function routeEdge(
  line: RouteLine,
  { points, label }: Place,
  selected: string | null,
  pending: ReadonlySet<string>,
  marks: Marks,
): RouteEdgeType {
  const selection = formatSelection({ kind: 'route', ...line.path, route: line.route.name });
  const isChosen = selected === selection;
  const mark = marks.get(selection);
  return {
    ...ends(line),
    id: line.id,
    type: 'route',
    data: { line, points, label, isPending: pending.has(ids.route(line.path, line.route.name)), mark },
    selected: isChosen,
    // Prongs of a fork are parts of one route, which is reached by its stem.
    focusable: line.part === 'whole' || line.part === 'stem',
    zIndex: isChosen ? 5 : 0,
    ariaLabel: routeName(line) + withMark(mark),
  };
}

function bundleEdge(line: BundleLine, { points, label }: Place): BundleEdgeType {
  return { ...ends(line), id: line.id, type: 'bundle', data: { line, points, label }, ariaLabel: bundleName(line) };
}

export function bundleName({ instance, towards, routes, expired }: BundleLine): string {
  return `${counted(routes, 'route')} of ${instance} to ${towards}${expired > 0 ? `, ${expired} of them expired` : ''}`;
}

export function routeName({ path, route }: Pick<RouteLine, 'path' | 'route'>): string {
  const service = route.service_name === null ? 'any service' : `service ${route.service_name}`;
  const mirror = route.mirror_address === null ? '' : `, mirror ${route.mirror_address}`;
  const expired = route.is_expired ? ', expired' : '';
  return `Route ${route.name} of ${path.instance} ${path.database}, ${service}, to ${route.address}${mirror}${expired}`;
}

/** What a click on a node or an edge selects; null for what is only decoration. */
export function selectionOfNode(node: CanvasNode): Selection | null {
  switch (node.type) {
    case 'instance':
      return { kind: 'instance', instance: node.data.box.instance.name };
    case 'database':
      return { kind: 'database', ...node.data.box.path };
    case 'ghost':
      return { kind: 'ghost', address: node.data.box.text };
    case 'elsewhere':
    case 'transport':
    case 'fork':
    default:
      return null;
  }
}

/** A bundle selects the instance whose routes it is: they are listed there. */
export function selectionOfEdge(edge: CanvasEdge): Selection | null {
  if (edge.data === undefined) {
    return null;
  }
  const { line } = edge.data;
  return line.kind === 'bundle' ? { kind: 'instance', instance: line.instance } : { kind: 'route', ...line.path, route: line.route.name };
}
