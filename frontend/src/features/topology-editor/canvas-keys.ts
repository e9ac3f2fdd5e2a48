// The keys of the canvas: one table, which is obeyed and which is shown on `?`.
import type { Direction } from '@/topology/neighbour';

export type CommandId =
  | 'nearest'
  | 'along'
  | 'enter'
  | 'into'
  | 'find'
  | 'fit'
  | 'zoomIn'
  | 'zoomOut'
  | 'life'
  | 'layers'
  | 'connect'
  | 'move'
  | 'delete'
  | 'mark'
  | 'markAll'
  | 'unmark'
  | 'undo'
  | 'redo'
  | 'undoMove'
  | 'redoMove'
  | 'help';

export type Command = {
  id: CommandId;
  group: 'go' | 'view' | 'edit' | 'help';
  /** As `keyOf` names them. */
  keys: readonly string[];
  /** Obeyed by the browser or by the page as a whole, also when the focus is elsewhere. */
  isOfPage?: true;
};

export const commands: readonly Command[] = [
  { id: 'nearest', group: 'go', keys: ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'] },
  { id: 'along', group: 'go', keys: ['Alt+ArrowLeft', 'Alt+ArrowRight', 'Alt+ArrowUp', 'Alt+ArrowDown'] },
  { id: 'enter', group: 'go', keys: ['Enter'] },
  { id: 'into', group: 'go', keys: ['Tab'], isOfPage: true },
  { id: 'mark', group: 'go', keys: ['Ctrl+Enter'] },
  { id: 'markAll', group: 'go', keys: ['Ctrl+A'] },
  { id: 'unmark', group: 'go', keys: ['Escape'] },
  { id: 'find', group: 'go', keys: ['/'], isOfPage: true },
  { id: 'fit', group: 'view', keys: ['f'] },
  { id: 'zoomIn', group: 'view', keys: ['+', '='] },
  { id: 'zoomOut', group: 'view', keys: ['-'] },
  { id: 'life', group: 'view', keys: ['0'] },
  { id: 'layers', group: 'view', keys: ['l'] },
  { id: 'connect', group: 'edit', keys: ['c'] },
  { id: 'move', group: 'edit', keys: ['m'] },
  { id: 'undoMove', group: 'edit', keys: ['u'] },
  { id: 'redoMove', group: 'edit', keys: ['U'] },
  { id: 'delete', group: 'edit', keys: ['Delete'] },
  { id: 'undo', group: 'edit', keys: ['Ctrl+Z'], isOfPage: true },
  { id: 'redo', group: 'edit', keys: ['Ctrl+Shift+Z'], isOfPage: true },
  { id: 'help', group: 'help', keys: ['?'] },
];

type Pressed = Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** A key with what is held down: `Ctrl+Shift+Z`, `Alt+ArrowLeft`; a sign is named as it is written. */
export function keyOf({ key, altKey, ctrlKey, metaKey, shiftKey }: Pressed): string {
  const isHeld = altKey || ctrlKey || metaKey;
  const name = isHeld && key.length === 1 ? key.toUpperCase() : key;
  const shift = shiftKey && (isHeld || key.length > 1) ? 'Shift+' : '';
  return `${ctrlKey || metaKey ? 'Ctrl+' : ''}${altKey ? 'Alt+' : ''}${shift}${name}`;
}

/** What a key asks for; with `isSingleOff` a single letter or sign asks for nothing (WCAG 2.1.4). */
export function commandOf(pressed: Pressed, isSingleOff: boolean): CommandId | null {
  const key = keyOf(pressed);
  const found = commands.find(({ keys, isOfPage }) => isOfPage !== true && keys.includes(key));
  return found === undefined || (isSingleOff && key.length === 1) ? null : found.id;
}

const arrows: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

export function directionOf({ key }: Pick<KeyboardEvent, 'key'>): Direction | null {
  return arrows[key] ?? null;
}
