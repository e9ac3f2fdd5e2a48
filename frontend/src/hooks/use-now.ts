import { useSyncExternalStore } from 'react';

import { useLiveStore } from '@/lib/live-store';
import { instancesNow } from '@/live/instances-clock';

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

/** The same by the clocks of the instances on view, by which the instants in live rows were taken. */
export function useInstancesNow(): number {
  const ahead = useLiveStore((store) => store.clockAheadMilliseconds);
  const clock = useLiveStore((store) => store.live.progress?.clock);
  return instancesNow(useNow() + ahead, clock);
}
