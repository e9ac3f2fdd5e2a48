// What a rectangle drawn over the canvas, or a click on it, means as routes.
import type { Estate } from '@/contracts/api';
import { ids } from '@/topology/graph';
import { routesToward, routesWithin } from '@/topology/marking';
import { formatSelection } from '@/topology/selection';

import { selectionOfNode, type CanvasEdge, type CanvasNode } from './flow-elements';

/** In units of the drawing. */
export type Area = { left: number; top: number; right: number; bottom: number };
type Elements = { nodes: readonly CanvasNode[]; edges: readonly CanvasEdge[] };

/** What is selected together: routes, and boxes of instances and databases, as selections in text. */
export type Caught = { routes: string[]; boxes: string[] };

/** Routes whose name the area touches, the boxes that are wholly in it, and the routes that leave those. */
export function caughtIn(area: Area, estate: Estate, { nodes, edges }: Elements): Caught {
  const boxes = nodes.filter((node) => selectionOfNode(node) !== null && isInside(area, boxOf(node, nodes)));
  const routes = [
    ...edges.filter((edge) => touches(area, edge)).flatMap((edge) => routesOfEdge(edge, estate)),
    ...boxes.flatMap((node) => routesWithin(estate, selectionOfNode(node))),
  ];
  return { routes: [...new Set(routes)], boxes: boxes.flatMap(boxText) };
}

function boxText(node: CanvasNode): string[] {
  const selection = selectionOfNode(node);
  return selection?.kind === 'instance' || selection?.kind === 'database' ? [formatSelection(selection)] : [];
}

function boxOf(node: CanvasNode, nodes: readonly CanvasNode[]): Area {
  const parent = nodes.find(({ id }) => id === node.parentId);
  const left = (parent?.position.x ?? 0) + node.position.x;
  const top = (parent?.position.y ?? 0) + node.position.y;
  return { left, top, right: left + (node.width ?? 0), bottom: top + (node.height ?? 0) };
}

function isInside(area: Area, box: Area): boolean {
  return box.left >= area.left && box.right <= area.right && box.top >= area.top && box.bottom <= area.bottom;
}

function touches(area: Area, { label, line }: CanvasEdge): boolean {
  if (label === null || line.label === null) {
    return false;
  }
  const { x, y } = label;
  const { width, height } = line.label;
  return x <= area.right && x + width >= area.left && y <= area.bottom && y + height >= area.top;
}

/** Those that a draft deletes are drawn, and nothing more can be done with them in it. */
function routesOfEdge(edge: CanvasEdge, estate: Estate): string[] {
  if (edge.kind === 'route') {
    const { path, route } = edge.line;
    return edge.draft === 'removed' ? [] : [formatSelection({ kind: 'route', ...path, route: route.name })];
  }
  const { line } = edge;
  return routesToward(
    estate,
    line.instance,
    estate.instances.find(({ name }) => ids.instance(name) === line.target)?.name ?? null,
  );
}

/**
 * What an element of the page shows: one route, a bundle of them, or a box with its routes; null for the empty canvas.
 */
export function caughtAt(target: EventTarget, estate: Estate, { nodes, edges }: Elements): Caught | null {
  if (!(target instanceof Element)) {
    return null;
  }
  const label = target.closest('[data-route]')?.getAttribute('data-route');
  if (label !== null && label !== undefined) {
    return { routes: [label], boxes: [] };
  }
  const drawn = target.closest('[data-line], .react-flow__node');
  const id = drawn?.getAttribute('data-line') ?? drawn?.getAttribute('data-id');
  const edge = edges.find((one) => one.id === id);
  if (edge !== undefined) {
    return { routes: routesOfEdge(edge, estate), boxes: [] };
  }
  const node = nodes.find((one) => one.id === id);
  const selection = node === undefined ? null : selectionOfNode(node);
  return node === undefined || selection === null
    ? null
    : { routes: routesWithin(estate, selection), boxes: boxText(node) };
}
