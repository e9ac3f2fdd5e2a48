import { useStore } from '@xyflow/react';

import { zoomLevel, type ZoomLevel } from '@/topology/zoom';

/** How much to tell at the present zoom; changes, and so redraws, only when a threshold is crossed. */
export function useZoomLevel(): ZoomLevel {
  return useStore((store) => zoomLevel(store.transform[2]));
}
