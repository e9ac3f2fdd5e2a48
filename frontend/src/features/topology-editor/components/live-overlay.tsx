import { useEstatePage } from '@/hooks/use-estate-page';
import { useHiddenLayers } from '@/hooks/use-layers';

import type { CanvasEdge } from '../flow-elements';
import { FlowSamples } from './flow-samples';
import { LiveLayer } from './live-layer';
import { LiveLegend } from './live-legend';

/** What is so now, laid over the lines, and how to read it; without its layer nothing is even asked for. */
export function LiveOverlay({ edges, covered }: { edges: readonly CanvasEdge[]; covered: number }) {
  const estate = useEstatePage();
  const isHidden = useHiddenLayers().has('live');
  return (
    !isHidden && (
      <>
        <FlowSamples estate={estate} />
        <LiveLayer edges={edges} />
        <LiveLegend edges={edges} covered={covered} />
      </>
    )
  );
}
