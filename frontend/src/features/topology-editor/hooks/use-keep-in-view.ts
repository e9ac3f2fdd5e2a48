import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useEffect } from 'react';

import { useSelection } from '@/hooks/use-view-state';
import { ids } from '@/topology/graph';
import type { Selection } from '@/topology/selection';

import type { CanvasEdge, CanvasNode, RouteEdge } from '../flow-elements';

const free = 24;

type Elements = { nodes: readonly CanvasNode[]; edges: readonly CanvasEdge[] };
type Box = { left: number; top: number; right: number; bottom: number };

/**
 * Moves the view just so far that what is selected is in it, and not under the side panel, which covers `covered`
 * pixels: a selection may come from the outline, from a list or from a link.
 */
export function useKeepInView({ nodes, edges }: Elements, covered: number): void {
  const store = useStoreApi();
  const { getViewport, setViewport } = useReactFlow();
  const [selection] = useSelection();
  const { id, box } = selectedBox(selection, nodes, edges) ?? { id: null, box: null };
  useEffect(() => {
    const { width, height } = store.getState();
    if (box === null || width === 0) {
      return;
    }
    const { x, y, zoom } = getViewport();
    const dx = shift(box.left * zoom + x, box.right * zoom + x, width - covered);
    const dy = shift(box.top * zoom + y, box.bottom * zoom + y, height);
    if (dx !== 0 || dy !== 0) {
      void setViewport({ x: x + dx, y: y + dy, zoom }, { duration: 180 });
    }
    // Only another selection, or a panel that opens, moves the view: not what is drawn anew where it was.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [id, covered, store, getViewport, setViewport]);
}

/** How far to move so that what lies from `start` to `end` is within `room`; its beginning where it is too large. */
function shift(start: number, end: number, room: number): number {
  if (start < free) {
    // What is larger than the room, and fills it, is as well in view as it can be.
    return end > room - free ? 0 : free - start;
  }
  return end > room - free ? Math.max(room - free - end, free - start) : 0;
}

/** The selected element in the drawing's own units; null when nothing is selected that is drawn. */
function selectedBox(
  selection: Selection | null,
  nodes: readonly CanvasNode[],
  edges: readonly CanvasEdge[],
): { id: string; box: Box } | null {
  const edge = edges.find((one) => one.kind === 'route' && one.isSelected && one.isFocusable);
  if (edge?.kind === 'route') {
    return { id: edge.id, box: boxOfEdge(edge) };
  }
  // Services and LOCAL routes are lines within the box of their database.
  const holder = selection !== null && 'database' in selection ? ids.database(selection) : null;
  const node = nodes.find((one) => one.selected === true) ?? nodes.find((one) => one.id === holder);
  if (node === undefined) {
    return null;
  }
  const parent = nodes.find((one) => one.id === node.parentId);
  const left = (parent?.position.x ?? 0) + node.position.x;
  const top = (parent?.position.y ?? 0) + node.position.y;
  return { id: node.id, box: { left, top, right: left + (node.width ?? 0), bottom: top + (node.height ?? 0) } };
}

/** Where a route is read: at its label, or in the middle of its line. */
function boxOfEdge({ label, line, points }: RouteEdge): Box {
  const at = label ?? points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
  const { width, height } = label === null || line.label === null ? { width: 0, height: 0 } : line.label;
  return { left: at.x, top: at.y, right: at.x + width, bottom: at.y + height };
}
