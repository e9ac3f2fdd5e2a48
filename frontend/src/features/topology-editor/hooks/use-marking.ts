import { useReactFlow } from '@xyflow/react';
import { useMemo, useRef, useState, type MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';

import { announce } from '@/hooks/use-announcer';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useHiddenLayers } from '@/hooks/use-layers';
import { useMarked } from '@/hooks/use-marked';
import { useSelection } from '@/hooks/use-view-state';
import { withoutRoutesOf } from '@/topology/layers';
import { boxesWithin, routesWithin, turnedBoth } from '@/topology/marking';
import { formatSelection } from '@/topology/selection';

import { caughtAt, caughtIn } from '../caught';
import type { CanvasEdge, CanvasNode } from '../flow-elements';

type Elements = { nodes: readonly CanvasNode[]; edges: readonly CanvasEdge[] };
/** In pixels of the canvas. */
export type Band = { left: number; top: number; width: number; height: number };

/** Pixels that the pointer may tremble in a click. */
const tremble = 4;
const notPane = '.react-flow__node, .react-flow__panel, [data-line], [data-route]';

/**
 * Several routes and boxes selected together: with Ctrl or Shift and a click, with a rectangle drawn while Shift is
 * held, with Ctrl+A.
 */
export function useMarking(elements: Elements) {
  const { t } = useTranslation('canvas');
  const whole = useEstatePage();
  const hidden = useHiddenLayers();
  const estate = useMemo(() => withoutRoutesOf(whole, hidden), [whole, hidden]);
  const marked = useMarked();
  const [selection] = useSelection();
  const { screenToFlowPosition } = useReactFlow();
  const [band, setBand] = useState<Band | null>(null);
  const wasDrawn = useRef(false);

  const mark = (routes: ReadonlySet<string>, boxes: ReadonlySet<string>) => {
    marked.set(routes, boxes);
    announce(t('marked.count', { routes: routes.size, boxes: boxes.size }));
  };
  /** What was selected alone is the first of several. */
  const before = () =>
    marked.routes.size === 0 && selection?.kind === 'route' ? new Set([formatSelection(selection)]) : marked.routes;
  const at = (target: EventTarget) => {
    const caught = caughtAt(target, estate, elements);
    if (caught !== null && (caught.routes.length > 0 || caught.boxes.length > 0)) {
      mark(...turnedBoth(before(), marked.boxes, caught));
    }
    return caught !== null;
  };

  const onMouseDown = (event: MouseEvent<HTMLElement>) => {
    const { target, currentTarget, clientX, clientY } = event;
    const isOnPane =
      target instanceof Element && target.closest('.react-flow__pane') !== null && target.closest(notPane) === null;
    if (!event.shiftKey || event.button !== 0 || !isOnPane) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const frame = currentTarget.getBoundingClientRect();
    const end = new AbortController();
    const rectangle = (to: globalThis.MouseEvent) => ({
      left: Math.min(clientX, to.clientX),
      top: Math.min(clientY, to.clientY),
      right: Math.max(clientX, to.clientX),
      bottom: Math.max(clientY, to.clientY),
    });
    const move = (to: globalThis.MouseEvent) => {
      const { left, top, right, bottom } = rectangle(to);
      setBand({ left: left - frame.left, top: top - frame.top, width: right - left, height: bottom - top });
    };
    const up = (to: globalThis.MouseEvent) => {
      end.abort();
      setBand(null);
      const { left, top, right, bottom } = rectangle(to);
      if (right - left > tremble || bottom - top > tremble) {
        wasDrawn.current = true;
        const [from, until] = [
          screenToFlowPosition({ x: left, y: top }),
          screenToFlowPosition({ x: right, y: bottom }),
        ];
        const caught = caughtIn({ left: from.x, top: from.y, right: until.x, bottom: until.y }, estate, elements);
        mark(new Set([...before(), ...caught.routes]), new Set([...marked.boxes, ...caught.boxes]));
      }
    };
    window.addEventListener('mousemove', move, { signal: end.signal });
    window.addEventListener('mouseup', up, { signal: end.signal });
  };
  const onClick = (event: MouseEvent<HTMLElement>) => {
    const isOfBand = wasDrawn.current;
    wasDrawn.current = false;
    const isHeld = event.ctrlKey || event.metaKey || event.shiftKey;
    if (isOfBand || (isHeld && at(event.target))) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  return {
    band,
    onMouseDown,
    onClick,
    /** The routes of what has the focus, in or out. */
    turn: at,
    /** All of what is selected, or of the estate. */
    all: () => {
      mark(new Set(routesWithin(estate, selection)), new Set(boxesWithin(estate, selection)));
    },
    /** Whether there was anything to give up. */
    clear: () => {
      const isAny = marked.routes.size > 0 || marked.boxes.size > 0;
      if (isAny) {
        marked.clear();
        announce(t('nothingSelected'));
      }
      return isAny;
    },
  };
}
