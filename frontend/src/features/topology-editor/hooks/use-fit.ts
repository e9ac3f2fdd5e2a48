import { getViewportForBounds, useReactFlow, useStore, useStoreApi, type Viewport } from '@xyflow/react';
import { useCallback, useEffect, useRef } from 'react';

import { zoomRange } from '@/topology/zoom';

import type { CanvasNode } from '../flow-elements';

export type Frame = { width: number; height: number };
export type DrawingSize = { left: number; top: number; width: number; height: number };

/** Pixels left free around the drawing: the tools stand there. */
const margin = { top: '24px', right: '20px', bottom: '24px', left: '56px' } as const;

export type Fit = {
  /** Brings the whole drawing into view, its lines included, and never larger than life. */
  fit: (milliseconds: number) => void;
  /** Told of every move of the view; one made by hand ends the automatic fitting. */
  onMove: (event: MouseEvent | TouchEvent | null) => void;
};

/** The view in which the whole drawing is seen in a frame of so many pixels. */
export function fitted({ left, top, width, height }: DrawingSize, frame: Frame): Viewport {
  return getViewportForBounds({ x: left, y: top, width, height }, frame.width, frame.height, zoomRange.min, 1, margin);
}

/** Keeps the drawing fitted to its frame until somebody moves the view by hand; a panel that covers it pauses that. */
export function useFit({ left, top, width, height }: DrawingSize, covered: number): Fit {
  const store = useStoreApi();
  const { setViewport } = useReactFlow();
  const frameWidth = useStore((state) => state.width);
  const frameHeight = useStore((state) => state.height);
  const wasMoved = useRef(false);
  const wasFitted = useRef(false);

  const fit = useCallback(
    (milliseconds: number) => {
      wasMoved.current = false;
      wasFitted.current = true;
      void setViewport(fitted({ left, top, width, height }, store.getState()), { duration: milliseconds });
    },
    [store, setViewport, left, top, width, height],
  );

  useEffect(() => {
    const isFree = covered === 0 || !wasFitted.current;
    if (!wasMoved.current && frameWidth > 0 && isFree) {
      fit(0);
    }
  }, [fit, frameWidth, frameHeight, covered]);

  const onMove = useCallback((event: MouseEvent | TouchEvent | null) => {
    wasMoved.current ||= event !== null;
  }, []);
  return { fit, onMove };
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
