import { useReactFlow, useStore, useStoreApi, type Node, type Viewport } from '@xyflow/react';
import { useCallback, useEffect, useRef } from 'react';

import { fittedBesideLegend, type DrawingSize } from '../fitting';
import type { CanvasNode } from '../flow-elements';
import { useLegendRoom } from '../legend-room';

export type Fit = {
  /** Brings the whole drawing into view, its lines included, and never larger than life. */
  fit: (milliseconds: number) => void;
  /** Told of every move of the view; one made by hand ends the automatic fitting. */
  onMove: (event: MouseEvent | TouchEvent | null) => void;
};

/** Keeps the drawing fitted to its frame until somebody moves the view by hand; a panel that covers it pauses that. */
export function useFit({ left, top, width, height }: DrawingSize, covered: number): Fit {
  const store = useStoreApi();
  const { setViewport } = useReactFlow();
  const frameWidth = useStore((state) => state.width);
  const frameHeight = useStore((state) => state.height);
  const wasMoved = useRef(false);
  const wasFitted = useRef(false);
  const shown = useRef<Viewport | null>(null);
  const legend = useLegendRoom(({ size }) => size);

  const fit = useCallback(
    (milliseconds: number) => {
      wasMoved.current = false;
      wasFitted.current = true;
      const { width: frameWidth, height: frameHeight, nodes } = store.getState();
      const frame = { width: frameWidth, height: frameHeight };
      const view = fittedBesideLegend(
        { left, top, width, height },
        frame,
        useLegendRoom.getState().size,
        boxesIn(nodes),
      );
      shown.current = view;
      void setViewport(view, { duration: milliseconds });
    },
    [store, setViewport, left, top, width, height],
  );

  useEffect(() => {
    const isFree = covered === 0 || !wasFitted.current;
    if (!wasMoved.current && frameWidth > 0 && isFree) {
      fit(0);
    }
  }, [fit, frameWidth, frameHeight, covered]);

  // The legend comes after the drawing: that makes room if nothing else has been brought into view meanwhile.
  useEffect(() => {
    if (legend !== null && covered === 0 && !wasMoved.current && isView(shown.current, store.getState().transform)) {
      fit(0);
    }
  }, [legend, covered, fit, store]);

  const onMove = useCallback((event: MouseEvent | TouchEvent | null) => {
    wasMoved.current ||= event !== null;
  }, []);
  return { fit, onMove };
}

/** The boxes that stand in the drawing itself, not in another box. */
function boxesIn(nodes: readonly Node[]): DrawingSize[] {
  return nodes.flatMap(({ parentId, position, width, height }) =>
    parentId === undefined ? [{ left: position.x, top: position.y, width: width ?? 0, height: height ?? 0 }] : [],
  );
}

function isView(view: Viewport | null, [x, y, zoom]: readonly [number, number, number]): boolean {
  const near = 0.5;
  return view !== null && Math.abs(view.x - x) < near && Math.abs(view.y - y) < near && view.zoom === zoom;
}

/** Fits the view when instances come or go; a route that is added must not move what one looks at. */
export function useFitOnNewInstances(nodes: readonly CanvasNode[], fit: (milliseconds: number) => void): void {
  const instances = nodes.filter((node) => node.type === 'instance').length;
  const fitted = useRef(instances);
  useEffect(() => {
    if (fitted.current !== instances) {
      fitted.current = instances;
      fit(0);
    }
  }, [instances, fit]);
}
