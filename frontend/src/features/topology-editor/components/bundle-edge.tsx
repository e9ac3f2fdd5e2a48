import { Tooltip } from '@mantine/core';
import { EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';

import { useSelection } from '@/hooks/use-view-state';
import { arrowHead, roundedPath } from '@/topology/polyline';

import { bundleName, type BundleEdgeType } from '../flow-elements';
import classes from './route-edge.module.css';

const corner = 12;
const thinnest = 1.75;

/** All routes of a folded instance to one place; the more there are, the thicker. */
export const BundleEdge = memo(function BundleEdge({ data }: EdgeProps<BundleEdgeType>) {
  const [, select] = useSelection();
  if (data === undefined) {
    return null;
  }
  const { line, points, label } = data;
  const path = roundedPath(points, corner);
  const end = points.at(-1);
  const width = thinnest + Math.log10(line.routes) * 1.5;
  return (
    <>
      <path d={path} className={classes.reach} />
      <path d={path} className={classes.wire} style={{ strokeWidth: width }} data-expired={line.expired === line.routes} />
      {end !== undefined && <path d={arrowHead(end)} className={classes.head} data-expired={line.expired === line.routes} />}
      {label !== null && (
        <EdgeLabelRenderer>
          <Tooltip label={bundleName(line)} multiline maw={420}>
            {/* The label is a second handle for the pointer; the keyboard reaches the line itself. */}
            {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
            <div
              className={`${classes.label ?? ''} nopan`}
              style={{ transform: `translate(${label.x}px, ${label.y}px)`, width: line.label.width, height: line.label.height }}
              onClick={() => {
                select({ kind: 'instance', instance: line.instance });
              }}
            >
              <span>{line.label.service}</span>
            </div>
          </Tooltip>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
