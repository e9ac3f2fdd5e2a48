import { useReactFlow, useStore, type Rect } from '@xyflow/react';
import { useEffect, useRef } from 'react';

import { boxesOnPath, type ShownPath } from '@/topology/path';
import { zoomRange } from '@/topology/zoom';

import type { CanvasEdge, CanvasNode } from '../flow-elements';
import { wayInView } from '../way-in-view';

/** Share of the frame that stays free around the way. */
const padding = 0.12;
/** A decision of a way that is too long is drawn no larger: enough to read, and what surrounds it is seen. */
const longZoom = zoomRange.card;

type Elements = { nodes: readonly CanvasNode[]; edges: readonly CanvasEdge[] };

/**
 * Brings another way into view when one is shown: in a large drawing it is a few boxes among hundreds. It is the whole
 * way if it has room, so that nothing moves while one goes along it. A frame that changes its size shows it anew.
 */
export function useFitToPath(path: ShownPath | null, { nodes, edges }: Elements): void {
  const { fitView, getNodesBounds } = useReactFlow();
  const frame = useStore(({ width, height }) => `${width} ${height}`);
  const shown = useRef({ view: '', isLong: false, now: null as number | null });
  const wanted = path?.all.map(({ instance, table, target }) => [instance, table, target ?? ''].join(' ')).join('\n');
  const now = path?.now ?? null;
  useEffect(() => {
    const view = `${frame}\n${wanted ?? ''}`;
    const before = shown.current;
    if (path === null || (view === before.view && (!before.isLong || now === before.now))) {
      return;
    }
    const lines = edges.map(({ line }) => line);
    const on = (part: ShownPath) => {
      const boxes = boxesOnPath(part, lines);
      return nodes.filter(({ id }) => boxes.has(id)).map(({ id }) => ({ id }));
    };
    const { part, isLong } = wayInView(path, (each) => fits(getNodesBounds(on(each).map(({ id }) => id)), frame));
    shown.current = { view, isLong, now };
    const boxes = on(part);
    if (boxes.length > 0) {
      void fitView({ nodes: boxes, padding, minZoom: zoomRange.min, maxZoom: isLong ? longZoom : 1 });
    }
  }, [path, wanted, now, frame, nodes, edges, fitView, getNodesBounds]);
}

/** Whether a rectangle is seen whole at the smallest zoom; a frame of no size yet says nothing against it. */
function fits({ width, height }: Rect, frame: string): boolean {
  const [frameWidth = 0, frameHeight = 0] = frame.split(' ').map(Number);
  const zoom = zoomRange.min * (1 + padding);
  return frameWidth === 0 || (width * zoom <= frameWidth && height * zoom <= frameHeight);
}
