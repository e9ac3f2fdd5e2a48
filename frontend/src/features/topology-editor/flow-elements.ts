// A laid-out graph as the canvas draws it: boxes as nodes of the canvas library, lines as what the line layer draws,
// each with its name for screen readers and what it selects.
import type { Node } from '@xyflow/react';

import { i18n } from '@/i18n';
import type { DraftMark, DraftMarks } from '@/topology/draft-map';
import { markWords, type Mark, type Marks } from '@/topology/findings';
import {
  counted,
  ids,
  type BundleLine,
  type DatabaseBox,
  type Graph,
  type InstanceBox,
  type RouteLine,
  type SmallBox,
} from '@/topology/graph';
import { layerOf, type Hidden } from '@/topology/layers';
import type { Layout, Point } from '@/topology/layout';
import { boxesOnPath, partOfLine, type LinePart, type ShownPath } from '@/topology/path';
import { formatSelection, type Selection } from '@/topology/selection';

export type InstanceNodeType = Node<{ box: InstanceBox; mark: Mark | undefined }, 'instance'>;
export type DatabaseNodeType = Node<{ box: DatabaseBox; draft: DraftMarks; mark: Mark | undefined }, 'database'>;
export type SmallNodeType = Node<{ box: SmallBox }, 'ghost' | 'elsewhere' | 'transport' | 'fork'>;
export type CanvasNode = InstanceNodeType | DatabaseNodeType | SmallNodeType;

type Drawn = {
  id: string;
  /** Ids of the boxes at its ends. */
  source: string;
  target: string;
  points: readonly Point[];
  /** Where its label stands; null for none. */
  label: Point | null;
  /** For screen readers. */
  name: string;
  isFocusable: boolean;
  /** What the line is to the way of a message that is shown; null without one, and for all that is not on it. */
  part: LinePart | null;
};
export type RouteEdge = Drawn & {
  kind: 'route';
  line: RouteLine;
  draft: DraftMark | null;
  mark: Mark | undefined;
  isSelected: boolean;
  /** Selected together with others. */
  isMarked: boolean;
};
export type BundleEdge = Drawn & { kind: 'bundle'; line: BundleLine };
export type CanvasEdge = RouteEdge | BundleEdge;

/**
 * What the library need not find out: lines are none of its business, and sizes are told, so that it measures no box.
 */
function fixed({ width, height }: { width: number; height: number }) {
  return { connectable: false, deletable: false, handles: [], width, height, measured: { width, height } };
}

export function canvasNodes(graph: Graph, layout: Layout, draft: DraftMarks, marks: Marks): CanvasNode[] {
  return [
    ...graph.instances.flatMap((box) => instanceNodes(box, layout, draft, marks)),
    ...graph.others.map((box) => smallNode(box, layout)),
  ];
}

function instanceNodes(box: InstanceBox, layout: Layout, draft: DraftMarks, marks: Marks): CanvasNode[] {
  const { instance } = box;
  const place = formatSelection({ kind: 'instance', instance: instance.name });
  const card: InstanceNodeType = {
    ...fixed(box),
    id: box.id,
    type: 'instance',
    position: layout.boxes[box.id] ?? { x: 0, y: 0 },
    data: { box, mark: marks.get(place) },
    ariaLabel: withMark(instanceName(box), marks.get(place)),
  };
  return [card, ...box.databases.map((database) => databaseNode(box, database, draft, marks))];
}

function databaseNode(box: InstanceBox, database: DatabaseBox, draft: DraftMarks, marks: Marks): DatabaseNodeType {
  const place = formatSelection({ kind: 'database', ...database.path });
  const mark = marks.get(place);
  return {
    ...fixed(database),
    draggable: false,
    id: database.id,
    type: 'database',
    parentId: box.id,
    position: { x: database.x, y: database.y },
    data: { box: database, draft, mark },
    ariaLabel: withMark(databaseName(database), mark),
  };
}

export function withMark(name: string, mark: Mark | undefined): string {
  return mark === undefined ? name : i18n.t('canvas:name.marked', { name, mark: markWords(mark) });
}

/** A message asks for it by name. */
const yes = (so: boolean) => (so ? 'yes' : 'no');

function instanceName({ instance, isFolded }: InstanceBox): string {
  const { name, endpoint, databases } = instance;
  const said = { name, count: databases.length, folded: yes(isFolded) };
  return endpoint === null
    ? i18n.t('canvas:name.instanceClosed', said)
    : i18n.t('canvas:name.instance', {
        ...said,
        port: endpoint.port,
        state: endpoint.state,
        forwards: yes(endpoint.is_message_forwarding_enabled),
      });
}

function databaseName({ path, database, isGate }: DatabaseBox): string {
  return i18n.t('canvas:name.database', {
    ...path,
    gate: yes(isGate),
    mirroring: database.partner_address === null ? 'none' : database.state === 'mirror' ? 'mirror' : 'principal',
    broker: database.is_broker_enabled ? 'on' : 'off',
    services: database.services.length,
    routes: database.routes.length,
  });
}

function smallBoxName(box: SmallBox): string {
  switch (box.kind) {
    case 'ghost':
      return i18n.t('canvas:name.ghost', { address: box.text });
    case 'elsewhere':
      return i18n.t('canvas:name.elsewhere');
    case 'transport':
      return i18n.t('canvas:name.transport');
    case 'fork':
      return i18n.t('canvas:name.fork');
  }
}

function smallNode(box: SmallBox, layout: Layout): SmallNodeType {
  const isGhost = box.kind === 'ghost';
  return {
    ...fixed(box),
    id: box.id,
    type: box.kind,
    position: layout.boxes[box.id] ?? { x: 0, y: 0 },
    data: { box },
    selectable: isGhost,
    focusable: isGhost,
    ariaLabel: smallBoxName(box),
    // What cannot be selected is a picture to a screen reader; without a role it may not have a name.
    ...(isGhost ? {} : { ariaRole: 'img' as const }),
  };
}

export function canvasEdges(graph: Graph, layout: Layout, draft: DraftMarks, marks: Marks): CanvasEdge[] {
  return graph.lines.flatMap((line): CanvasEdge[] => {
    const place = layout.lines[line.id];
    if (place === undefined) {
      return [];
    }
    return [line.kind === 'route' ? routeEdge(line, place, draft, marks) : bundleEdge(line, place)];
  });
}

type Place = Layout['lines'][string];

function routeEdge(line: RouteLine, { points, label }: Place, draft: DraftMarks, marks: Marks): RouteEdge {
  const selection = formatSelection({ kind: 'route', ...line.path, route: line.route.name });
  const mark = marks.get(selection);
  const draftMark = draft.get(ids.route(line.path, line.route.name)) ?? null;
  const name = withMark(routeName(line), mark);
  return {
    kind: 'route',
    id: line.id,
    source: line.source,
    target: line.target,
    line,
    points,
    label,
    draft: draftMark,
    mark,
    isSelected: false,
    isMarked: false,
    part: null,
    // Prongs of a fork are parts of one route, which is reached by its stem.
    isFocusable: line.part === 'whole' || line.part === 'stem',
    name: draftMark === 'removed' ? i18n.t('canvas:name.removed', { name }) : name,
  };
}

function bundleEdge(line: BundleLine, { points, label }: Place): BundleEdge {
  const { id, source, target } = line;
  return {
    kind: 'bundle',
    id,
    source,
    target,
    line,
    points,
    label,
    isFocusable: true,
    part: null,
    name: bundleName(line),
  };
}

function bundleName({ instance, towards, routes, expired }: BundleLine): string {
  return i18n.t('canvas:name.bundle', { count: routes, instance, towards, expired });
}

function routeName({ path, route }: Pick<RouteLine, 'path' | 'route'>): string {
  return i18n.t('canvas:name.route', {
    route: route.name,
    ...path,
    any: yes(route.service_name === null),
    service: route.service_name ?? '',
    address: route.address,
    mirrored: yes(route.mirror_address !== null),
    mirror: route.mirror_address ?? '',
    expired: yes(route.is_expired),
  });
}

/**
 * The drawing with what is selected in it: all that stays as it is are the same objects, so that it is not drawn again.
 */
export function withSelected(
  { nodes, edges }: { nodes: CanvasNode[]; edges: CanvasEdge[] },
  selected: string | null,
): { nodes: CanvasNode[]; edges: CanvasEdge[] } {
  const isSelected = (selection: Selection | null) => selection !== null && formatSelection(selection) === selected;
  return selected === null
    ? { nodes, edges }
    : {
        nodes: nodes.map((node) => (isSelected(selectionOfNode(node)) ? { ...node, selected: true } : node)),
        edges: edges.map((edge) =>
          edge.kind === 'route' && isSelected(selectionOfEdge(edge)) ? { ...edge, isSelected: true } : edge,
        ),
      };
}

/** The drawing without hidden layers: what stays does so where it is. What is selected is drawn in any case. */
export function withLayers(
  { nodes, edges }: { nodes: CanvasNode[]; edges: CanvasEdge[] },
  hidden: Hidden,
): { nodes: CanvasNode[]; edges: CanvasEdge[] } {
  if (hidden.size === 0) {
    return { nodes, edges };
  }
  const shown = edges.flatMap((edge): CanvasEdge[] => {
    if (edge.kind === 'bundle') {
      return bundleWithout(edge, hidden);
    }
    const { path, route } = edge.line;
    return edge.isSelected || !hidden.has(layerOf(path.database, route)) ? [edge] : [];
  });
  const ends = new Set(shown.flatMap(({ source, target }) => [source, target]));
  return {
    nodes: nodes.filter(
      ({ id, type, selected }) => type === 'instance' || type === 'database' || selected === true || ends.has(id),
    ),
    edges: shown,
  };
}

function bundleWithout(edge: BundleEdge, hidden: Hidden): BundleEdge[] {
  const count = counted(edge.line.layers, hidden);
  if (count.routes === edge.line.routes) {
    return [edge];
  }
  const line = { ...edge.line, ...count };
  return count.routes === 0 ? [] : [{ ...edge, line, name: bundleName(line) }];
}

/**
 * The lines, those of `marked` routes selected together with others: lines that stay as they are are the same objects.
 */
export function withMarked(edges: CanvasEdge[], marked: ReadonlySet<string>): CanvasEdge[] {
  return marked.size === 0
    ? edges
    : edges.map((edge) => {
        const isMarked = edge.kind === 'route' && marked.has(formatSelection(selectionOfEdge(edge)));
        return isMarked ? { ...edge, isMarked, name: `${edge.name}, ${i18n.t('canvas:marked.sign')}` } : edge;
      });
}

/** The boxes, those selected together with others marked as such. */
export function withMarkedBoxes(nodes: CanvasNode[], marked: ReadonlySet<string>): CanvasNode[] {
  return marked.size === 0
    ? nodes
    : nodes.map((node) => {
        const selection = selectionOfNode(node);
        return selection !== null && marked.has(formatSelection(selection))
          ? { ...node, className: 'marked', ariaLabel: `${node.ariaLabel ?? ''}, ${i18n.t('canvas:marked.sign')}` }
          : node;
      });
}

/** The drawing with the way of a message in it; what is neither on it nor beside it stays as it is. */
export function withPath(
  { nodes, edges }: { nodes: CanvasNode[]; edges: CanvasEdge[] },
  path: ShownPath | null,
): { nodes: CanvasNode[]; edges: CanvasEdge[] } {
  if (path === null) {
    return { nodes, edges };
  }
  const lines = edges.map(({ line }) => line);
  const boxes = boxesOnPath(path, lines);
  const now = path.hops.find(({ number }) => number === path.now);
  const reading = now === undefined ? null : ids.database({ instance: now.instance, database: now.table });
  return {
    nodes: nodes.map((node) => {
      const sign = boxes.has(node.id)
        ? `onpath${node.id === reading ? ' reading' : ''}`
        : // Within a card that stands out, what is not on the way still steps back.
          boxes.has(node.parentId ?? '') && 'beside';
      return sign === false ? node : { ...node, className: `${node.className ?? ''} ${sign}` };
    }),
    edges: edges.map((edge) => {
      const part = partOfLine(path, edge.line);
      return part === null ? edge : { ...edge, part };
    }),
  };
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
export function selectionOfEdge({ line }: CanvasEdge): Selection {
  return line.kind === 'bundle'
    ? { kind: 'instance', instance: line.instance }
    : { kind: 'route', ...line.path, route: line.route.name };
}
