import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useEffect } from 'react';

import { useSelection } from '@/hooks/use-view-state';
import { ids } from '@/topology/graph';
import type { Selection } from '@/topology/selection';

import { broughtIntoView, type Box } from '../fitting';
import type { CanvasEdge, CanvasNode, RouteEdge } from '../flow-elements';
import { useLegendRoom } from '../legend-room';

/** Pixels left free at the edges; at the left one the tools stand. */
const free = 24;
const freeLeft = 56;
/** Of a box at an end of a route this much is brought into view, where the line meets it: room for a name. */
const endWidth = 160;
const endHeight = 48;

type Elements = { nodes: readonly CanvasNode[]; edges: readonly CanvasEdge[] };
type Selected = { id: string; whole: Box; least: Box };

/**
 * Moves the view just so far that what is selected is in it, and not under the side panel, which covers `covered`
 * pixels, or the legend: a selection may come from the outline, from a list or from a link. Of a route both ends are
 * brought into view where they can be read.
 */
export function useKeepInView({ nodes, edges }: Elements, covered: number): void {
  const store = useStoreApi();
  const { getViewport, setViewport } = useReactFlow();
  const [selection] = useSelection();
  const selected = selectedBox(selection, nodes, edges);
  const id = selected?.id ?? null;
  useEffect(() => {
    const { width, height } = store.getState();
    if (selected === null || width === 0) {
      return;
    }
    const before = getViewport();
    const room = { left: freeLeft, top: free, right: width - covered - free, bottom: height - free };
    const seen = broughtIntoView(selected, before, room);
    const legend = useLegendRoom.getState().size;
    const isUnderLegend =
      legend !== null &&
      selected.whole.right * seen.zoom + seen.x > width - covered - legend.width - free &&
      selected.whole.top * seen.zoom + seen.y < legend.height + free;
    const after = isUnderLegend ? broughtIntoView(selected, before, { ...room, top: legend.height + free }) : seen;
    if (after.x !== before.x || after.y !== before.y || after.zoom !== before.zoom) {
      void setViewport(after, { duration: 180 });
    }
    // Only another selection, or a panel that opens, moves the view: not what is drawn anew where it was.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [id, covered, store, getViewport, setViewport]);
}

/** The selected element in the drawing's own units; null when nothing is selected that is drawn. */
function selectedBox(
  selection: Selection | null,
  nodes: readonly CanvasNode[],
  edges: readonly CanvasEdge[],
): Selected | null {
  const edge = edges.find((one) => one.kind === 'route' && one.isSelected && one.isFocusable);
  if (edge?.kind === 'route') {
    const least = labelBox(edge);
    const ends = [edge.source, edge.target].flatMap((id, at) => endBox(id, edge.points.at(-at), nodes) ?? []);
    return { id: edge.id, least, whole: around([least, ...ends, ...edge.points.map(({ x, y }) => boxAt(x, y, 0, 0))]) };
  }
  // Services and LOCAL routes are lines within the box of their database.
  const holder = selection !== null && 'database' in selection ? ids.database(selection) : null;
  const node = nodes.find((one) => one.selected === true) ?? nodes.find((one) => one.id === holder);
  if (node === undefined) {
    return null;
  }
  const { x, y } = placeOf(node, nodes);
  const whole = boxAt(x, y, node.width ?? 0, node.height ?? 0);
  return { id: node.id, whole, least: whole };
}

/** Where a route is read: at its label, or in the middle of its line. */
function labelBox({ label, line, points }: RouteEdge): Box {
  const at = label ?? points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
  const { width, height } = label === null || line.label === null ? { width: 0, height: 0 } : line.label;
  return boxAt(at.x, at.y, width, height);
}

function endBox(id: string, meets: { x: number } | undefined, nodes: readonly CanvasNode[]): Box | null {
  const node = nodes.find((one) => one.id === id);
  if (node === undefined) {
    return null;
  }
  const { x, y } = placeOf(node, nodes);
  const { width = 0, height = 0 } = node;
  const seen = Math.min(width, endWidth);
  const isMetAtRight = meets !== undefined && meets.x > x + width / 2;
  return boxAt(isMetAtRight ? x + width - seen : x, y, seen, Math.min(height, endHeight));
}

function placeOf(node: CanvasNode, nodes: readonly CanvasNode[]): { x: number; y: number } {
  const parent = nodes.find((one) => one.id === node.parentId);
  return { x: (parent?.position.x ?? 0) + node.position.x, y: (parent?.position.y ?? 0) + node.position.y };
}

function boxAt(x: number, y: number, width: number, height: number): Box {
  return { left: x, top: y, right: x + width, bottom: y + height };
}

function around(boxes: readonly Box[]): Box {
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}
