import { useSyncExternalStore } from 'react';

import { useLiveStore } from '@/lib/live-store';

// One ticking clock for the whole page: ages of different rows never disagree, and idle pages run one timer.
const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;
let now = wholeSecond();

function wholeSecond(): number {
  return Math.floor(Date.now() / 1000) * 1000;
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = wholeSecond();
  }
  listeners.add(listener);
  ticking ??= setInterval(() => {
    now = wholeSecond();
    listeners.forEach((tell) => {
      tell();
    });
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(ticking);
      ticking = undefined;
    }
  };
}

/** Milliseconds since 1970 by this browser's clock, renewed every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** The same by the server's clock, by which the instants in live rows were taken. */
export function useServerNow(): number {
  const ahead = useLiveStore((store) => store.clockAheadMilliseconds);
  return useNow() + ahead;
}
