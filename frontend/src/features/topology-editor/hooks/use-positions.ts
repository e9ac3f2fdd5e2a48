import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { create } from 'zustand';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight } from '@/hooks/use-rights';
import { useSandbox } from '@/hooks/use-sandbox';
import { tellProblem } from '@/lib/notices';
import { moved, moveFrom, noMoves, redone, undone, withMove, type MovedTo, type MoveHistory } from '@/topology/moves';

import { positionsQuery, type Places } from '../api/positions-read';
import { setPositions } from '../api/positions-set';

/** Moves of this browser, per estate, as long as the page is open. */
const useHistories = create<{ histories: Readonly<Record<string, MoveHistory>> }>(() => ({ histories: {} }));

const nowhere: Places = new Map();

/** One request at a time: the last move must also be the last that arrives. */
let sending: Promise<unknown> = Promise.resolve();

export type Positions = {
  /** Null as long as it is not known where boxes were put. */
  places: Places | null;
  /** Why nothing can be moved; null when it can. */
  missing: string | null;
  move: (after: MovedTo) => void;
  /** Null when there is nothing to take back. */
  undo: (() => void) | null;
  redo: (() => void) | null;
};

/** Where boxes were put by hand, and how to put them elsewhere: kept on the server, shown at once. */
export function usePositions(): Positions {
  const { name } = useEstatePage();
  const queries = useQueryClient();
  const sandbox = useSandbox();
  const { data, isError } = useQuery({ ...positionsQuery(name), enabled: sandbox === null });
  const history = useHistories(({ histories }) => histories[name] ?? noMoves);
  const missing = useMissingRight('edit');

  const put = useCallback(
    (to: MovedTo, next: MoveHistory) => {
      const { queryKey } = positionsQuery(name);
      useHistories.setState(({ histories }) => ({ histories: { ...histories, [name]: next } }));
      void queries.cancelQueries({ queryKey });
      queries.setQueryData<Places>(queryKey, (places) => moved(places ?? nowhere, to));
      sending = sending
        .then(() => setPositions(name, to))
        .catch((error: unknown) => {
          tellProblem(error);
          void queries.invalidateQueries({ queryKey });
        });
    },
    [name, queries],
  );
  const move = useCallback(
    (after: MovedTo) => {
      const { histories } = useHistories.getState();
      const places = queries.getQueryData<Places>(positionsQuery(name).queryKey) ?? nowhere;
      put(after, withMove(histories[name] ?? noMoves, moveFrom(places, after)));
    },
    [name, queries, put],
  );
  const turn = (step: ReturnType<typeof undone>) =>
    step === null || missing !== null
      ? null
      : () => {
          put(step.to, step.history);
        };
  return {
    // Boxes of a sandbox are put by nobody.
    places: sandbox !== null ? nowhere : (data ?? (isError ? nowhere : null)),
    missing,
    move,
    undo: turn(undone(history)),
    redo: turn(redone(history)),
  };
}
