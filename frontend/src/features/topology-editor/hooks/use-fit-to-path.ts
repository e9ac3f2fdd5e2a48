import { useReactFlow } from '@xyflow/react';
import { useEffect, useRef } from 'react';

import type { ShownPath } from '@/topology/path';
import { zoomRange } from '@/topology/zoom';

import type { CanvasNode } from '../flow-elements';

/** Share of the frame that stays free around the way. */
const padding = 0.14;

/** Brings another way into view when one is shown: in a large drawing it is a few boxes among hundreds. */
export function useFitToPath(path: ShownPath | null, nodes: readonly CanvasNode[]): void {
  const { fitView } = useReactFlow();
  const shown = useRef('');
  const wanted = path?.hops
    .map(({ instance, route, target }) => `${instance} ${route ?? ''} ${target ?? ''}`)
    .join('\n');
  useEffect(() => {
    if (wanted === undefined || wanted === shown.current) {
      return;
    }
    shown.current = wanted;
    const on = nodes.filter(({ className }) => className?.includes('onpath') === true);
    if (on.length > 0) {
      void fitView({ nodes: on.map(({ id }) => ({ id })), padding, minZoom: zoomRange.min, maxZoom: 1 });
    }
  }, [wanted, nodes, fitView]);
}
