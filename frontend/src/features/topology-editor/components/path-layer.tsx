import { ViewportPortal } from '@xyflow/react';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import { ids } from '@/topology/graph';
import type { Point } from '@/topology/layout';
import { isOn, type PathHop, type ShownPath } from '@/topology/path';

import type { CanvasEdge, CanvasNode } from '../flow-elements';
import type { DrawingSize } from '../fitting';
import { useZoomLevel } from '../hooks/use-zoom-level';
import classes from './path-layer.module.css';

/** How far a number stands from where its line begins. */
const apart = 24;

/** Beyond the drawing on each side. */
const veilMargin = 2000;

type Props = { path: ShownPath; size: DrawingSize; nodes: readonly CanvasNode[]; edges: readonly CanvasEdge[] };

/**
 * A veil over all that is not on the way, the numbers of the hops, each where its line begins, and a flag where the way
 * ends. The list beside it says the same.
 */
export function PathLayer({ path, size, nodes, edges }: Props) {
  const level = useZoomLevel();
  const places = nodes.flatMap((node) =>
    level === 'chip' && node.type === 'database' ? [] : [[node.id, node] as const],
  );
  const boxes = new Map(places);
  const end = path.end?.boxes.map((id) => boxes.get(id)).find((node) => node !== undefined);
  return (
    <ViewportPortal>
      <div
        aria-hidden
        className={classes.veil}
        style={{
          left: size.left - veilMargin,
          top: size.top - veilMargin,
          width: size.width + 2 * veilMargin,
          height: size.height + 2 * veilMargin,
        }}
      />
      {path.hops.map((hop) => {
        const at = placeOf(hop, boxes, nodes, edges);
        return (
          at !== null && (
            <div
              key={hop.number}
              aria-hidden
              className={classes.number}
              data-level={level}
              data-now={hop.number === path.now}
              data-hop={hop.number}
              style={{ transform: `translate(${at.x}px, ${at.y}px) translate(-50%, -50%)` }}
            >
              {hop.number}
            </div>
          )
        );
      })}
      {end !== undefined && path.end !== null && (
        <div
          aria-hidden
          className={classes.end}
          style={{
            width: end.width,
            transform: `translate(${origin(end, nodes).x}px, ${origin(end, nodes).y}px) translateY(-95%)`,
          }}
        >
          <span
            className={classes.flag}
            data-level={level}
            data-flag={path.end.verdict}
            style={{ '--verdict': `var(--bw-verdict-${path.end.verdict})` }}
          >
            <VerdictIcon verdict={path.end.verdict} size={{ full: 18, card: 26, chip: 46 }[level]} />
            {path.end.word}
          </span>
        </div>
      )}
    </ViewportPortal>
  );
}

/** A little way down the hop's line; a hop without one, at the left edge of the box that decides. */
function placeOf(
  hop: PathHop,
  boxes: ReadonlyMap<string, CanvasNode>,
  nodes: readonly CanvasNode[],
  edges: readonly CanvasEdge[],
): Point | null {
  const [from, to] = edges.find(({ line }) => isOn(hop, line))?.points ?? [];
  if (from !== undefined) {
    const length = to === undefined ? 0 : Math.hypot(to.x - from.x, to.y - from.y);
    const share = length === 0 ? 0 : Math.min(apart, length / 2) / length;
    return to === undefined ? from : { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
  }
  const box =
    boxes.get(ids.database({ instance: hop.instance, database: hop.table })) ?? boxes.get(ids.instance(hop.instance));
  return box === undefined ? null : { x: origin(box, nodes).x, y: origin(box, nodes).y + 18 };
}

function origin(node: CanvasNode, nodes: readonly CanvasNode[]): Point {
  const parent = nodes.find(({ id }) => id === node.parentId);
  return { x: (parent?.position.x ?? 0) + node.position.x, y: (parent?.position.y ?? 0) + node.position.y };
}
