import { useIsMutating, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';

import type { TrainingSession } from '@/contracts/api';
import { restoredPercent, restoringDelay } from '@/lib/restoring';

import { deedsOf, runQuery, trainingKeys, type Deeds } from './api/training';

type Ask = (deeds: Deeds) => Promise<TrainingSession>;

/** Has something done in a run. */
export type Act = (act: Ask) => void;

/** Has time of a run pass at once: so many seconds, or null up to the next event. */
export type Pass = (seconds: number | null) => void;

/** Time that passes at once and takes more than one answer, by the clock of the sandbox. */
export type Going = { fromSeconds: number; atSeconds: number; goalSeconds: number; isStopping: boolean };

export type RunWork = ReturnType<typeof useRun>;

/** A run, and what one does in it: whatever is answered is what is shown, and one deed waits for the other. */
export function useRun(session: string) {
  const queries = useQueryClient();
  const run = useQuery(runQuery(session));
  const deeds = useMemo(() => deedsOf(session), [session]);
  const [going, setGoing] = useState<Going | null>(null);
  const [restoring, setRestoring] = useState<number | null>(null);
  const stopped = useStopped(session);

  /** Asks until the sandbox is there; as long as it is not, nothing has been done in it. */
  const asked = async (ask: Ask): Promise<TrainingSession> => {
    for (;;) {
      try {
        const told = await ask(deeds);
        queries.setQueryData(trainingKeys.run(session), told);
        setRestoring(null);
        return told;
      } catch (error) {
        const percent = restoredPercent(error);
        if (percent === null || stopped.current) {
          setRestoring(null);
          throw error;
        }
        setRestoring(percent);
        await pause(restoringDelay(error));
      }
    }
  };

  /** Asks for what is left of a step, or for the same jump, until it is there or is to stop. */
  const passed = async (seconds: number | null): Promise<TrainingSession> => {
    const fromSeconds = run.data?.clock?.seconds ?? 0;
    let told = await asked((all) => (seconds === null ? all.jump() : all.step(seconds)));
    const first = told.clock?.goal_seconds ?? 0;
    for (let clock = ahead(told); clock !== null && !stopped.current; clock = ahead(told)) {
      const atSeconds = clock.seconds;
      // By the answers the goal of a step would go on with a clock that goes besides.
      const goalSeconds = seconds === null ? clock.goal_seconds : first;
      if (atSeconds >= goalSeconds) {
        break;
      }
      setGoing({ fromSeconds, atSeconds, goalSeconds, isStopping: false });
      told = await asked((all) => (seconds === null ? all.jump() : all.step(goalSeconds - atSeconds)));
    }
    return told;
  };

  const deed = useMutation({
    mutationKey: deedKey(session),
    scope: { id: deedKey(session).join(' ') },
    mutationFn: async (work: () => Promise<TrainingSession>) => {
      stopped.current = false;
      return work();
    },
    onSettled: () => {
      setGoing(null);
      void queries.invalidateQueries({ queryKey: trainingKeys.catalogue() });
    },
  });
  const act: Act = (ask) => {
    deed.mutate(() => asked(ask));
  };
  const pass: Pass = (seconds) => {
    deed.mutate(() => passed(seconds));
  };
  /** No further answer is asked for; what the one on its way tells is still shown. */
  const stop = () => {
    stopped.current = true;
    setGoing((now) => now && { ...now, isStopping: true });
  };
  return {
    run,
    act,
    pass,
    stop,
    going,
    isBusy: useIsMutating({ mutationKey: deedKey(session) }) > 0,
    error: deed.error,
    /** How far the sandbox is restored, in per cent; null while it is there. */
    restoring: restoring ?? restoredPercent(run.failureReason),
  };
}

/** The clock of an answer that is not yet where it was to lead. */
function ahead({ clock }: TrainingSession) {
  const goal = clock?.goal_seconds ?? null;
  return clock === null || goal === null ? null : { seconds: clock.seconds, goal_seconds: goal };
}

/** Deeds of a run are one after the other, wherever on the page they are begun. */
const deedKey = (session: string) => ['training', 'deed', session];

/** Whether what goes on by itself is to stop; whoever leaves the page stops it. */
function useStopped(session: string) {
  const stopped = useRef(false);
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [session],
  );
  return stopped;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
