import { useStore } from '@xyflow/react';
import { createContext, useContext } from 'react';

import { zoomLevel, type ZoomLevel } from '@/topology/zoom';

/**
 * The level as the drawing has it: hundreds of boxes that asked the library each would be asked at each step of a pan.
 */
export const ZoomLevelContext = createContext<ZoomLevel>('full');

/** How much a part of the drawing tells at the present zoom. */
export function useZoomLevel(): ZoomLevel {
  return useContext(ZoomLevelContext);
}

/** The same for the drawing as a whole; changes, and so redraws, only when a threshold is crossed. */
export function useLevelOfView(): ZoomLevel {
  return useStore((store) => zoomLevel(store.transform[2]));
}
