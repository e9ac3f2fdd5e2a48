// Where the keyboard goes on the canvas: boxes as elements of the page, and which of them comes next.
import { neighbour, type Direction } from '@/topology/neighbour';

import type { CanvasEdge, CanvasNode } from './flow-elements';

type Elements = { nodes: readonly CanvasNode[]; edges: readonly CanvasEdge[] };

/** The box that has the focus itself; null when it is elsewhere, as in a field or a button. */
export function focusedNode(target: EventTarget, nodes: readonly CanvasNode[]): CanvasNode | null {
  const isNode = target instanceof Element && target.classList.contains('react-flow__node');
  const id = isNode ? target.getAttribute('data-id') : null;
  return nodes.find((node) => node.id === id) ?? null;
}

export function focusNode(canvas: Element, id: string): void {
  canvas.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)?.focus();
}

/** The nearest box of its kind in a direction; with `isAlong` only among those that a route joins with it. */
export function nextBox(
  here: CanvasNode,
  direction: Direction,
  isAlong: boolean,
  { nodes, edges }: Elements,
): string | null {
  const card = here.parentId ?? here.id;
  const joined = new Set(
    edges.flatMap(({ source, target }) => (source === card ? [target] : target === card ? [source] : [])),
  );
  const from = { id: here.id, centre: centreOf(here, nodes) };
  const others = nodes.filter((node) =>
    isAlong
      ? joined.has(node.id) && node.focusable !== false
      : (node.type === 'database') === (here.type === 'database') && node.focusable !== false,
  );
  return neighbour(
    others.map((node) => ({ id: node.id, centre: centreOf(node, nodes) })),
    from,
    direction,
  );
}

/** The box where reading begins. */
export function firstBox(nodes: readonly CanvasNode[]): string | null {
  const [first] = nodes
    .filter((node) => node.type === 'instance')
    .toSorted((one, other) => one.position.x + one.position.y - other.position.x - other.position.y);
  return first?.id ?? null;
}

function centreOf(node: CanvasNode, nodes: readonly CanvasNode[]): { x: number; y: number } {
  const parent = nodes.find((one) => one.id === node.parentId);
  return {
    x: (parent?.position.x ?? 0) + node.position.x + (node.width ?? 0) / 2,
    y: (parent?.position.y ?? 0) + node.position.y + (node.height ?? 0) / 2,
  };
}
