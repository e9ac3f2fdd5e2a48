import { getViewportForBounds, useReactFlow, useStoreApi } from '@xyflow/react';
import { useCallback } from 'react';

import { zoomRange } from '@/topology/zoom';

export type DrawingSize = { width: number; height: number };

/** Pixels left free around the drawing: the tools stand there. */
const margin = '28px';

/** Brings the whole drawing into view, its lines included, and never larger than life. */
export function useFit({ width, height }: DrawingSize): (milliseconds: number) => void {
  const store = useStoreApi();
  const { setViewport } = useReactFlow();
  return useCallback(
    (milliseconds: number) => {
      const frame = store.getState();
      const bounds = { x: 0, y: 0, width, height };
      const viewport = getViewportForBounds(bounds, frame.width, frame.height, zoomRange.min, 1, margin);
      void setViewport(viewport, { duration: milliseconds });
    },
    [store, setViewport, width, height],
  );
}
