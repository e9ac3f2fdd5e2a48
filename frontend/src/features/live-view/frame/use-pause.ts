import { useEffect, useState } from 'react';

import { useLiveStore } from '@/lib/live-store';
import type { TopicState } from '@/live/streams';

export type Pause = {
  isPaused: boolean;
  /** Milliseconds since 1970 by this browser's clock when the rows were held still; null when they are not. */
  since: number | null;
  pause: () => void;
  resume: () => void;
};

type Frozen = { list: string; state: TopicState | undefined; since: number };

/**
 * The topic as it is, or, once paused, as it was then. `list` names what is asked for: the answer to another question
 * is taken when it comes, and held still in its turn.
 */
export function usePause(list: string, state: TopicState | undefined, isOld: boolean): [TopicState | undefined, Pause] {
  const [frozen, setFrozen] = useState<Frozen | null>(null);
  let held = frozen;
  if (frozen !== null && frozen.list !== list && !isOld && state !== undefined) {
    held = { list, state, since: frozen.since };
    setFrozen(held);
  }
  const isPaused = held !== null;
  useEffect(() => {
    useLiveStore.setState({ isPaused });
    return () => {
      useLiveStore.setState({ isPaused: false });
    };
  }, [isPaused]);
  return [
    held === null ? state : held.state,
    {
      isPaused,
      since: held?.since ?? null,
      pause: () => {
        setFrozen({ list, state, since: Date.now() });
      },
      resume: () => {
        setFrozen(null);
      },
    },
  ];
}
