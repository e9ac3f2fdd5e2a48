import { useEffect, useMemo, useState } from 'react';

import { useLiveStore } from '@/lib/live-store';
import type { LiveState } from '@/live/compose';
import { countNew, liveTables, type LiveTables } from '@/live/rows';

export type LivePicture = {
  tables: LiveTables;
  /** The state the picture was taken from, for ages and for who has not answered. */
  live: LiveState;
  isPaused: boolean;
  /** Rows that came since the pause. */
  waiting: number;
  pause: () => void;
  resume: () => void;
};

/** The live tables, or, while paused, the picture of the moment of the pause. */
export function useLiveTables(): LivePicture {
  const live = useLiveStore((store) => store.live);
  const [frozen, setFrozen] = useState<LiveState | null>(null);
  const shown = frozen ?? live;
  const tables = useMemo(() => liveTables(shown), [shown]);
  const isPaused = frozen !== null;
  useEffect(() => {
    useLiveStore.setState({ isPaused });
    return () => {
      useLiveStore.setState({ isPaused: false });
    };
  }, [isPaused]);
  const waiting = useMemo(() => (frozen === null ? 0 : countNew(tables, liveTables(live))), [frozen, live, tables]);
  return {
    tables,
    live: shown,
    isPaused,
    waiting,
    pause: () => {
      setFrozen(live);
    },
    resume: () => {
      setFrozen(null);
    },
  };
}
