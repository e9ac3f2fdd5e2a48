import { Tooltip } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';

import { SeveritySign } from '@/components/severity-sign';
import { useSelection } from '@/hooks/use-view-state';
import { markWords, type Mark } from '@/topology/findings';
import { arrowHead, roundedPath } from '@/topology/polyline';

import { routeName, type RouteEdgeType } from '../flow-elements';
import { useZoomLevel } from '../hooks/use-zoom-level';
import classes from './route-edge.module.css';

const corner = 12;

/** A route as a line along the way the layout found, with the service it is for written upon it. */
export const RouteEdge = memo(function RouteEdge({ data, selected }: EdgeProps<RouteEdgeType>) {
  const level = useZoomLevel();
  if (data === undefined) {
    return null;
  }
  const { line, points, label, isPending, mark } = data;
  const path = roundedPath(points, corner);
  const end = points.at(-1);
  const marks = {
    'data-selected': selected,
    'data-expired': line.route.is_expired,
    'data-pending': isPending,
    'data-mirrored': line.part !== 'whole',
  };
  return (
    <>
      <path d={path} className={classes.reach} />
      <path d={path} className={classes.wire} data-prong={line.part} {...marks} />
      {end !== undefined && line.part !== 'stem' && (
        <path
          d={arrowHead(end)}
          className={classes.head}
          data-open={line.route.address_kind === 'transport'}
          {...marks}
        />
      )}
      {label !== null && line.label !== null && level !== 'chip' && (
        <EdgeLabelRenderer>
          <RouteLabel line={line} at={label} level={level} marks={marks} found={mark} />
        </EdgeLabelRenderer>
      )}
    </>
  );
});

type LabelProps = {
  line: NonNullable<RouteEdgeType['data']>['line'];
  at: { x: number; y: number };
  level: string;
  marks: Record<`data-${string}`, boolean | undefined>;
  found: Mark | undefined;
};

/** The label is a second handle for the pointer; the keyboard reaches the line itself. */
function RouteLabel({ line, at, level, marks, found }: LabelProps) {
  const [, select] = useSelection();
  const { route, label, path } = line;
  if (label === null) {
    return null;
  }
  return (
    <Tooltip label={routeName(line) + (found === undefined ? '' : `, ${markWords(found)}`)} multiline maw={420}>
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <div
        className={`${classes.label} nopan`}
        style={{ transform: `translate(${at.x}px, ${at.y}px)`, width: label.width, height: label.height }}
        data-level={level}
        {...marks}
        onClick={() => {
          select({ kind: 'route', ...path, route: route.name });
        }}
      >
        {found !== undefined && (
          <span className={classes.found} data-severity={found.severity}>
            <SeveritySign severity={found.severity} size={level === 'full' ? 16 : 20} hasWord={false} />
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
    </Tooltip>
  );
}
