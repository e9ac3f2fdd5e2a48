// The live overlay of the lines: how much goes over each, and how well. It lies below the wires, which say what a route
// is; a line over which nothing goes and with which nothing is wrong has none.
import { ViewportPortal } from '@xyflow/react';
import { memo } from 'react';

import { useFlowStore } from '@/lib/flow-store';
import { flowVerdicts, shareOf, type FlowVerdict } from '@/live/flows';
import { roundedPath } from '@/topology/polyline';

import type { CanvasEdge } from '../flow-elements';
import { useZoomLevel } from '../hooks/use-zoom-level';
import { flowOfLine } from '../line-flows';
import classes from './live-layer.module.css';

const corner = 12;
const thinnest = 4;
const thickest = 14;
/** Of a line of which nothing is known, or over which messages do not get on: that has no throughput to show. */
const constant = 9;
const isMeasured = (verdict: FlowVerdict) => verdict === 'delivered' || verdict === 'idle';

/** The width of a line over which so much goes: in half units, so that it does not tremble with every sample. */
export function widthOf(rate: number | null, largest: number | null): number {
  return rate === null || largest === null || rate <= 0
    ? thinnest
    : Math.round(2 * (thinnest + (thickest - thinnest) * shareOf(rate, largest))) / 2;
}

export function LiveLayer({ edges }: { edges: readonly CanvasEdge[] }) {
  const level = useZoomLevel();
  const store = useFlowStore();
  if (store.flows === null) {
    return null;
  }
  const shown = edges.flatMap((edge) => {
    const flow = flowOfLine(store, edge.line);
    // From far away the chip of a sender that is silent is hatched, and a thousand lines are not.
    const isLeft = flow === null || (flow.verdict === 'unknown' && level === 'chip');
    return isLeft || (flow.verdict === 'idle' && (flow.rate ?? 0) === 0)
      ? []
      : [{ edge, flow, width: isMeasured(flow.verdict) ? widthOf(flow.rate, store.largest) : constant }];
  });
  // What is worse lies upon what is better where lines run together.
  const ordered = shown.toSorted(
    (one, other) => flowVerdicts.indexOf(one.flow.verdict) - flowVerdicts.indexOf(other.flow.verdict),
  );
  return (
    <ViewportPortal>
      <svg className={classes.layer} aria-hidden>
        {ordered.map(({ edge, flow, width }) => (
          <Glow key={edge.id} edge={edge} width={width} verdict={flow.verdict} />
        ))}
      </svg>
      <svg className={`${classes.layer ?? ''} ${classes.above ?? ''}`} aria-hidden>
        {shown
          .filter(({ edge, flow }) => edge.kind === 'route' && edge.isSelected && (flow.rate ?? 0) > 0)
          .map(({ edge }) => (
            <path key={edge.id} d={roundedPath(edge.points, corner)} className={classes.dots} />
          ))}
      </svg>
    </ViewportPortal>
  );
}

type GlowProps = { edge: CanvasEdge; width: number; verdict: FlowVerdict };

const Glow = memo(function Glow({ edge, width, verdict }: GlowProps) {
  return (
    <path
      d={roundedPath(edge.points, corner)}
      className={classes.glow}
      data-flow={edge.id}
      data-verdict={verdict}
      style={{ strokeWidth: width }}
    />
  );
});
