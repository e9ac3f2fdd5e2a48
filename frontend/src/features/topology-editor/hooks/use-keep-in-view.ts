import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useEffect } from 'react';

import type { CanvasNode, RouteEdgeType } from '../flow-elements';

const free = 24;

type Elements = { nodes: readonly CanvasNode[]; edges: readonly RouteEdgeType[] };

/** Moves the view just so far that what is selected is not under the side panel, which covers `covered` pixels. */
export function useKeepInView({ nodes, edges }: Elements, covered: number): void {
  const store = useStoreApi();
  const { getViewport, setViewport } = useReactFlow();
  const right = rightEdge(nodes, edges);
  useEffect(() => {
    const { x, y, zoom } = getViewport();
    const over = right === null ? 0 : right * zoom + x - (store.getState().width - covered - free);
    if (over > 0 && covered > 0) {
      void setViewport({ x: x - over, y, zoom }, { duration: 180 });
    }
  }, [right, covered, store, getViewport, setViewport]);
}

/** Where the selected element ends, in the drawing's own units; null when nothing is selected. */
function rightEdge(nodes: readonly CanvasNode[], edges: readonly RouteEdgeType[]): number | null {
  const node = nodes.find((one) => one.selected === true);
  if (node !== undefined) {
    const parent = nodes.find((one) => one.id === node.parentId);
    return (parent?.position.x ?? 0) + node.position.x + (node.width ?? 0);
  }
  const data = edges.find((one) => one.selected === true && one.data?.line.label)?.data;
  return data?.label ? data.label.x + (data.line.label?.width ?? 0) : null;
}
