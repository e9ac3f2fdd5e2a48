import { useLocalStorage } from '@mantine/hooks';
import { useReactFlow } from '@xyflow/react';
import type { KeyboardEvent } from 'react';

import { commandOf, directionOf, type CommandId } from '../canvas-keys';
import { firstBox, focusedNode, focusNode, nextBox } from '../canvas-focus';
import type { CanvasEdge, CanvasNode } from '../flow-elements';
import type { useMoving } from './use-moving';

/** Whether single letters and signs are left alone; remembered in this browser. */
export function useSingleKeysOff(): [boolean, (isOff: boolean) => void] {
  const [isOff, setOff] = useLocalStorage({ key: 'brokerweb.single-keys-off', defaultValue: false });
  return [isOff, setOff];
}

type Acts = {
  nodes: readonly CanvasNode[];
  edges: readonly CanvasEdge[];
  moving: ReturnType<typeof useMoving>;
  fit: (milliseconds: number) => void;
  unfold: (node: CanvasNode) => boolean;
  connect: (node: CanvasNode | null) => void;
  move: (node: CanvasNode | null) => void;
  remove: () => void;
  /** Takes the routes of what has the focus into the selection of several, or out of it. */
  mark: (target: EventTarget) => boolean;
  markAll: () => void;
  unmark: () => boolean;
  unselect: () => void;
  undoMove: (() => void) | null;
  redoMove: (() => void) | null;
  help: () => void;
  layers: () => void;
  isSingleOff: boolean;
};

/** Obeys the keys of the table `commands` while the focus is in the canvas. */
export function useCanvasKeyboard(acts: Acts) {
  const { zoomIn, zoomOut, zoomTo } = useReactFlow();
  return (event: KeyboardEvent<HTMLElement>) => {
    if (isTyping(event.target) || walksBox(event, acts)) {
      return;
    }
    const command = commandOf(event.nativeEvent, acts.isSingleOff);
    const here = focusedNode(event.target, acts.nodes);
    const deeds: Partial<Record<CommandId, () => boolean | undefined>> = {
      nearest: () => go(event, here, false, acts),
      along: () => go(event, here, true, acts),
      enter: () => (here === null ? false : acts.unfold(here) && undefined),
      fit: does(() => {
        acts.fit(180);
      }),
      zoomIn: does(() => void zoomIn({ duration: 120 })),
      zoomOut: does(() => void zoomOut({ duration: 120 })),
      life: does(() => void zoomTo(1, { duration: 120 })),
      connect: does(() => {
        acts.connect(here);
      }),
      move: does(() => {
        acts.move(here);
      }),
      delete: does(acts.remove),
      mark: () => acts.mark(event.target),
      markAll: does(acts.markAll),
      unmark: () => acts.unmark() || leave(here, acts),
      undoMove: does(() => acts.undoMove?.()),
      redoMove: does(() => acts.redoMove?.()),
      layers: does(acts.layers),
      help: does(acts.help),
    };
    if (command !== null && deeds[command]?.() === true) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
}

/** Takes the selection of a box back. React Flow would select one that is not selected, and take the focus from it. */
function leave(here: CanvasNode | null, { unselect }: Acts): boolean {
  if (here?.selected === true) {
    unselect();
  }
  return here !== null;
}

function does(deed: () => void): () => true {
  return () => {
    deed();
    return true;
  };
}

function isTyping(target: EventTarget): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** While a box is moved by steps the arrows, Enter and Escape are about it. */
function walksBox(event: KeyboardEvent, { moving }: Acts): boolean {
  const direction = directionOf(event);
  const isOnButton = event.target instanceof HTMLElement && event.target.closest('button') !== null;
  if (moving.moving === null || (isOnButton && event.key === 'Enter')) {
    return false;
  }
  if (direction !== null) {
    moving.stepBy(direction, event.shiftKey);
  } else if (event.key === 'Enter' || event.key === 'Escape') {
    moving.end(event.key === 'Enter');
  } else {
    return false;
  }
  event.preventDefault();
  event.stopPropagation();
  return true;
}

/** From the canvas itself to the first box, from a box to the next one. */
function go(
  event: KeyboardEvent<HTMLElement>,
  here: CanvasNode | null,
  isAlong: boolean,
  { nodes, edges }: Acts,
): boolean {
  const direction = directionOf(event);
  if (direction === null || (here === null && event.target !== event.currentTarget)) {
    return false;
  }
  const next = here === null ? firstBox(nodes) : nextBox(here, direction, isAlong, { nodes, edges });
  if (next !== null) {
    focusNode(event.currentTarget, next);
  }
  return true;
}
