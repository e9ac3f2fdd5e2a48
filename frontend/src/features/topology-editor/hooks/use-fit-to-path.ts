import { useReactFlow, useStore } from '@xyflow/react';
import { useEffect, useRef } from 'react';

import { boxesOnPath, type ShownPath } from '@/topology/path';
import { zoomRange } from '@/topology/zoom';

import type { CanvasEdge, CanvasNode } from '../flow-elements';

/** Share of the frame that stays free around the way. */
const padding = 0.12;

type Elements = { nodes: readonly CanvasNode[]; edges: readonly CanvasEdge[] };

/**
 * Brings another way into view when one is shown: in a large drawing it is a few boxes among hundreds. It is the whole
 * way, so that nothing moves while one goes along it. A frame that changes its size shows it whole again.
 */
export function useFitToPath(path: ShownPath | null, { nodes, edges }: Elements): void {
  const { fitView } = useReactFlow();
  const frame = useStore(({ width, height }) => `${width} ${height}`);
  const shown = useRef('');
  const wanted = path?.all.map(({ instance, table, target }) => [instance, table, target ?? ''].join(' ')).join('\n');
  useEffect(() => {
    const view = `${frame}\n${wanted ?? ''}`;
    if (path === null || view === shown.current) {
      return;
    }
    shown.current = view;
    const boxes = boxesOnPath(
      { ...path, hops: path.all },
      edges.map(({ line }) => line),
    );
    const on = nodes.filter(({ id }) => boxes.has(id));
    if (on.length > 0) {
      void fitView({ nodes: on.map(({ id }) => ({ id })), padding, minZoom: zoomRange.min, maxZoom: 1 });
    }
  }, [path, wanted, frame, nodes, edges, fitView]);
}
