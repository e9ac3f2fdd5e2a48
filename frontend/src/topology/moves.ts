// Moves of boxes as steps that can be taken back. They are no edits of the estate and have a history of their own.
import type { Point } from './layout';

/** Where boxes are put; null is back to where the layout has them. */
export type MovedTo = ReadonlyMap<string, Point | null>;
export type Move = { before: MovedTo; after: MovedTo };
export type MoveHistory = { done: readonly Move[]; undone: readonly Move[] };

export const noMoves: MoveHistory = { done: [], undone: [] };
const kept = 100;

/** The step from `places` to what `after` says of some of them. */
export function moveFrom(places: ReadonlyMap<string, Point>, after: MovedTo): Move {
  return { before: new Map([...after.keys()].map((id) => [id, places.get(id) ?? null])), after };
}

export function moved(places: ReadonlyMap<string, Point>, to: MovedTo): ReadonlyMap<string, Point> {
  const all = new Map(places);
  for (const [id, at] of to) {
    if (at === null) {
      all.delete(id);
    } else {
      all.set(id, at);
    }
  }
  return all;
}

/** The history after one more step; what was taken back before it can no longer be done again. */
export function withMove({ done }: MoveHistory, move: Move): MoveHistory {
  return { done: [...done, move].slice(-kept), undone: [] };
}

/** The last step taken back, and what that puts where; null when there is none. */
export function undone({ done, undone: rest }: MoveHistory): { history: MoveHistory; to: MovedTo } | null {
  const last = done.at(-1);
  return last === undefined ? null : { history: { done: done.slice(0, -1), undone: [...rest, last] }, to: last.before };
}

/** The step that was taken back last, done again. */
export function redone({ done, undone: rest }: MoveHistory): { history: MoveHistory; to: MovedTo } | null {
  const next = rest.at(-1);
  return next === undefined ? null : { history: { done: [...done, next], undone: rest.slice(0, -1) }, to: next.after };
}
