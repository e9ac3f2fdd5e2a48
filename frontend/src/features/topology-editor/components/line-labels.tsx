import { IconClock } from '@tabler/icons-react';
import { useStore } from '@xyflow/react';
import { memo } from 'react';

import { Hint } from '@/components/ui/hint';
import { SeveritySign } from '@/components/severity-sign';
import { useSelection } from '@/hooks/use-view-state';
import { formatSelection } from '@/topology/selection';
import type { ZoomLevel } from '@/topology/zoom';

import type { BundleEdge, CanvasEdge, RouteEdge } from '../flow-elements';
import classes from './line-layer.module.css';
import { routeSigns } from './line-signs';

type Props = { edges: readonly CanvasEdge[]; level: ZoomLevel };

/** What is written upon the lines, as far as it is in view or near it. */
export function LineLabels({ edges, level }: Props) {
  const isNear = useArea();
  return edges.map((edge) =>
    !isNear(edge) ? null : edge.kind === 'route' ? (
      <RouteLabel key={edge.id} edge={edge} level={level} />
    ) : (
      <BundleLabel key={edge.id} edge={edge} />
    ),
  );
}

/**
 * Whether a label is in the part of the drawing around the view. The part moves on by half a frame: most steps of a pan
 * change nothing.
 */
function useArea(): (edge: CanvasEdge) => boolean {
  const frame = useStore(({ width, height, transform: [x, y, zoom] }) =>
    [Math.floor((-2 * x) / width), Math.floor((-2 * y) / height), width / 2 / zoom, height / 2 / zoom].join(' '),
  );
  const [column = 0, row = 0, width = 0, height = 0] = frame.split(' ').map(Number);
  const [left, top] = [column * width, row * height];
  return ({ line, label }) =>
    label !== null &&
    line.label !== null &&
    label.x <= left + 3 * width &&
    label.x + line.label.width >= left &&
    label.y <= top + 3 * height &&
    label.y + line.label.height >= top;
}

function placeOf({ label, line }: CanvasEdge) {
  return {
    transform: `translate(${label?.x ?? 0}px, ${label?.y ?? 0}px)`,
    width: line.label?.width,
    height: line.label?.height,
  };
}

/** The label is a second handle for the pointer; the keyboard reaches the line itself. */
const RouteLabel = memo(function RouteLabel({ edge, level }: { edge: RouteEdge; level: ZoomLevel }) {
  const [, select] = useSelection();
  const { route, label, path } = edge.line;
  if (label === null) {
    return null;
  }
  const selection = { kind: 'route', ...path, route: route.name } as const;
  return (
    <Hint label={edge.name}>
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <div
        className={`${classes.label ?? ''} nopan`}
        style={placeOf(edge)}
        data-level={level}
        data-route={formatSelection(selection)}
        {...routeSigns(edge)}
        onClick={() => {
          select(selection);
        }}
      >
        {edge.mark !== undefined && (
          <span className={classes.found} data-severity={edge.mark.severity}>
            <SeveritySign severity={edge.mark.severity} size={level === 'full' ? 16 : 20} hasWord={false} />
          </span>
        )}
        {level === 'full' ? (
          <>
            <span>{label.service}</span>
            {label.id !== null && <code>{label.id}</code>}
            {route.expires_at !== null && <IconClock size={14} />}
          </>
        ) : (
          <span>{label.brief}</span>
        )}
      </div>
    </Hint>
  );
});

const BundleLabel = memo(function BundleLabel({ edge }: { edge: BundleEdge }) {
  const [, select] = useSelection();
  const { instance, label } = edge.line;
  return (
    <Hint label={edge.name}>
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <div
        className={`${classes.label ?? ''} nopan`}
        style={placeOf(edge)}
        data-path={edge.part ?? undefined}
        onClick={() => {
          select({ kind: 'instance', instance });
        }}
      >
        <span>{label.service}</span>
      </div>
    </Hint>
  );
});
