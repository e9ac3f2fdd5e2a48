import { describe, expect, it } from 'vitest';

import { moved, moveFrom, noMoves, redone, undone, withMove, type MovedTo, type MoveHistory } from './moves';

type Places = ReadonlyMap<string, { x: number; y: number }>;
const at = (x: number, y = 0) => ({ x, y });

/** Carries steps out one after another, as the canvas does. */
function walk(start: Places, steps: readonly MovedTo[]) {
  let history: MoveHistory = noMoves;
  let places = start;
  for (const step of steps) {
    history = withMove(history, moveFrom(places, step));
    places = moved(places, step);
  }
  return { history, places };
}

describe('moves', () => {
  const start: Places = new Map([['instance/PARIS', at(1)]]);
  const steps: MovedTo[] = [
    new Map([['instance/PARIS', at(5)]]),
    new Map([
      ['instance/PARIS', at(7)],
      ['instance/LYON', at(9)],
    ]),
    new Map([['instance/PARIS', null]]),
  ];

  it('are taken back one by one to where everything was, and done again to where it had come', () => {
    let { history, places } = walk(start, steps);
    const end = places;
    const seen = [];
    for (let step = undone(history); step !== null; step = undone(history)) {
      ({ history, places } = { history: step.history, places: moved(places, step.to) });
      seen.push(places.get('instance/LYON'));
    }
    expect(places).toEqual(start);
    expect(seen).toEqual([at(9), undefined, undefined]);
    for (let step = redone(history); step !== null; step = redone(history)) {
      ({ history, places } = { history: step.history, places: moved(places, step.to) });
    }
    expect(places).toEqual(end);
  });

  it('cannot be done again after another move', () => {
    const { history } = walk(start, steps);
    const back = undone(history);
    expect(back).not.toBeNull();
    const after = withMove(back?.history ?? noMoves, moveFrom(start, new Map([['instance/LYON', at(2)]])));
    expect(redone(after)).toBeNull();
  });
});
