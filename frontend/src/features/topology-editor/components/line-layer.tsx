// Every line of the drawing in one SVG. As edges of the canvas library each had an SVG and subscriptions of its own,
// which cost more than all boxes: at every step of a pan, and when an estate of hundreds of instances opens.
import { ViewportPortal } from '@xyflow/react';
import { memo, type KeyboardEvent, type MouseEvent } from 'react';

import { arrowHead, roundedPath } from '@/topology/polyline';

import type { BundleEdge, CanvasEdge, RouteEdge } from '../flow-elements';
import { useZoomLevel } from '../hooks/use-zoom-level';
import { LineLabels } from './line-labels';
import classes from './line-layer.module.css';
import { routeSigns } from './line-signs';

const corner = 12;
const thinnest = 1.75;

type Props = { edges: readonly CanvasEdge[]; onChoose: (edge: CanvasEdge) => void };

/** The lines below the boxes, those that are selected once more above them, and what is written upon them. */
export function LineLayer({ edges, onChoose }: Props) {
  const level = useZoomLevel();
  const chosen = (event: MouseEvent | KeyboardEvent) => {
    const line = event.target instanceof Element ? event.target.closest('[data-line]') : null;
    const edge = edges.find(({ id }) => id === line?.getAttribute('data-line'));
    if (edge !== undefined) {
      onChoose(edge);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      chosen(event);
    } else if (event.key === 'Escape' && event.target instanceof SVGElement) {
      // The arrow keys go on from there.
      event.target.closest('section')?.focus();
    }
  };
  return (
    <ViewportPortal>
      {/* The lines in it take the focus, and what is done on them comes up to here. */}
      {}
      <svg className={classes.layer} onClick={chosen} onKeyDown={onKeyDown}>
        {edges.map((edge) => (
          <Line key={edge.id} edge={edge} />
        ))}
      </svg>
      <svg className={`${classes.layer ?? ''} ${classes.raised ?? ''}`} aria-hidden>
        {edges.filter(isRaised).map((edge) => (
          <Strokes key={edge.id} edge={edge} />
        ))}
      </svg>
      {level !== 'chip' && <LineLabels edges={edges} level={level} />}
    </ViewportPortal>
  );
}

function isRaised(edge: CanvasEdge): boolean {
  return edge.part !== null || (edge.kind === 'route' && (edge.isSelected || edge.isMarked));
}

const Line = memo(function Line({ edge }: { edge: CanvasEdge }) {
  return (
    <g
      className={`${classes.line ?? ''} nopan`}
      data-line={edge.id}
      data-path={edge.part ?? undefined}
      role={edge.isFocusable ? 'group' : 'img'}
      aria-label={edge.name}
      {...(edge.isFocusable ? { tabIndex: 0 } : {})}
    >
      <path d={roundedPath(edge.points, corner)} className={classes.reach} />
      <Strokes edge={edge} />
    </g>
  );
});

function Strokes({ edge }: { edge: CanvasEdge }) {
  return edge.kind === 'route' ? <RouteStrokes edge={edge} /> : <BundleStrokes edge={edge} />;
}

/** A route along the way that the layout found. */
function RouteStrokes({ edge }: { edge: RouteEdge }) {
  const { line, points } = edge;
  const end = points.at(-1);
  const signs = routeSigns(edge);
  return (
    <>
      <path d={roundedPath(points, corner)} className={classes.wire} data-prong={line.part} {...signs} />
      {end !== undefined && line.part !== 'stem' && (
        <path
          d={arrowHead(end)}
          className={classes.head}
          data-open={line.route.address_kind === 'transport'}
          {...signs}
        />
      )}
    </>
  );
}

/** All routes of a folded instance to one place; the more there are, the thicker. */
function BundleStrokes({ edge: { line, points, part } }: { edge: BundleEdge }) {
  const end = points.at(-1);
  const isExpired = line.expired === line.routes;
  return (
    <>
      <path
        d={roundedPath(points, corner)}
        className={classes.wire}
        style={part === null ? { strokeWidth: thinnest + Math.log10(line.routes) * 1.5 } : undefined}
        data-expired={isExpired}
        data-path={part ?? undefined}
      />
      {end !== undefined && (
        <path d={arrowHead(end)} className={classes.head} data-expired={isExpired} data-path={part ?? undefined} />
      )}
    </>
  );
}
