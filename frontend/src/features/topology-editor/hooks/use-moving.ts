import type { NodeChange } from '@xyflow/react';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { announce } from '@/hooks/use-announcer';
import type { Graph } from '@/topology/graph';
import type { Point } from '@/topology/layout';
import type { Direction } from '@/topology/neighbour';
import { boxesOf, wayOf } from '@/topology/ways';

import type { CanvasEdge, CanvasNode } from '../flow-elements';
import type { Positions } from './use-positions';

const step = 24;
const far = 5;
const unit: Record<Direction, Point> = {
  left: { x: -step, y: 0 },
  right: { x: step, y: 0 },
  up: { x: 0, y: -step },
  down: { x: 0, y: step },
};

type Elements = { nodes: CanvasNode[]; edges: CanvasEdge[] };

export function isMovable(node: CanvasNode | null | undefined): node is CanvasNode {
  return node !== null && node !== undefined && node.type !== 'database';
}

function nameOf(node: CanvasNode): string {
  return node.type === 'instance'
    ? node.data.box.instance.name
    : node.type === 'database'
      ? node.data.box.path.database
      : node.data.box.text;
}

/**
 * Boxes that are on the move, by the hand that drags one or by steps: drawn where they are now, and kept, as one step,
 * where they are let go.
 */
export function useMoving(graph: Graph, laid: Elements, { missing, move }: Positions) {
  const { t } = useTranslation('canvas');
  const [held, setHeld] = useState<ReadonlyMap<string, Point>>(new Map());
  const [moving, setMoving] = useState<string | null>(null);
  const node = moving === null ? undefined : laid.nodes.find(({ id }) => id === moving);
  const elements = useMemo(() => (held.size === 0 ? laid : withHeld(graph, laid, held)), [graph, laid, held]);

  const letGo = useCallback(
    (at: ReadonlyMap<string, Point>) => {
      setHeld(new Map());
      if (at.size > 0) {
        move(at);
      }
    },
    [move],
  );
  const onDrag = (changes: readonly NodeChange<CanvasNode>[]) => {
    const dragged = changes.flatMap((change) =>
      change.type === 'position' && change.position !== undefined ? [change] : [],
    );
    if (dragged.length === 0 || missing !== null) {
      return;
    }
    const at = new Map(held);
    for (const { id, position } of dragged) {
      if (position !== undefined) {
        at.set(id, { x: Math.round(position.x), y: Math.round(position.y) });
      }
    }
    if (dragged.every(({ dragging }) => dragging === true)) {
      setHeld(at);
    } else {
      letGo(at);
    }
  };
  const end = (isKept: boolean) => {
    if (node !== undefined) {
      announce(t(isKept ? 'move.moved' : 'move.cancelled', { name: nameOf(node) }));
    }
    letGo(isKept ? held : new Map());
    setMoving(null);
  };
  return {
    ...elements,
    onDrag,
    /** Name of the box that is moved by steps; null when none is. */
    moving: node === undefined ? null : nameOf(node),
    begin: (chosen: CanvasNode) => {
      if (missing === null && isMovable(chosen)) {
        setMoving(chosen.id);
        announce(`${t('move.title', { name: nameOf(chosen) })} ${t('move.about')}`);
      }
    },
    stepBy: (direction: Direction, isFar = false) => {
      if (node !== undefined) {
        const from = held.get(node.id) ?? node.position;
        const factor = isFar ? far : 1;
        setHeld(
          new Map([[node.id, { x: from.x + unit[direction].x * factor, y: from.y + unit[direction].y * factor }]]),
        );
      }
    },
    putAt: (point: Point) => {
      if (node !== undefined) {
        setHeld(new Map([[node.id, { x: Math.round(point.x), y: Math.round(point.y) }]]));
      }
    },
    end,
  };
}

/** The same drawing with some boxes elsewhere: all others are the same objects, so that they are not drawn again. */
function withHeld(graph: Graph, { nodes, edges }: Elements, held: ReadonlyMap<string, Point>): Elements {
  const boxes = boxesOf(graph);
  const places = Object.fromEntries(
    nodes.flatMap((node) => (node.parentId === undefined ? [[node.id, held.get(node.id) ?? node.position]] : [])),
  );
  return {
    nodes: nodes.map((node) => (held.has(node.id) ? { ...node, position: held.get(node.id) ?? node.position } : node)),
    edges: edges.map((edge) => {
      const isHeld = held.has(edge.source) || held.has(edge.target);
      const way = isHeld ? wayOf(edge.line, boxes, places) : null;
      return way === null ? edge : { ...edge, ...way };
    }),
  };
}
