import { getViewportForBounds, useReactFlow, useStore, useStoreApi } from '@xyflow/react';
import { useCallback, useEffect, useRef } from 'react';

import { zoomRange } from '@/topology/zoom';

export type DrawingSize = { width: number; height: number };

/** Pixels left free around the drawing: the tools stand there. */
const margin = { top: '24px', right: '20px', bottom: '24px', left: '56px' } as const;

export type Fit = {
  /** Brings the whole drawing into view, its lines included, and never larger than life. */
  fit: (milliseconds: number) => void;
  /** Told of every move of the view; one made by hand ends the automatic fitting. */
  onMove: (event: MouseEvent | TouchEvent | null) => void;
};

/** Keeps the drawing fitted to its frame until somebody moves the view by hand; a panel that covers it pauses that. */
export function useFit({ width, height }: DrawingSize, covered: number): Fit {
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
      const frame = store.getState();
      const bounds = { x: 0, y: 0, width, height };
      const viewport = getViewportForBounds(bounds, frame.width, frame.height, zoomRange.min, 1, margin);
      void setViewport(viewport, { duration: milliseconds });
    },
    [store, setViewport, width, height],
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
