import { useEffect, useRef, useState } from 'react';

import type { TrainingClock } from '@/contracts/api';

/** What the server has told of a clock that goes, and when, in milliseconds by this browser's clock. */
export type Reading = Pick<TrainingClock, 'seconds' | 'rate' | 'behind_seconds'> & { readAt: number };

const tickMilliseconds = 100;
/** So long a clock goes on without a word of the server: then it may as well be gone. */
export const unheardMillisecondsMax = 3_000;

/** Sandbox seconds in a second of the wall: by its rate, or as seen last where the processor does not keep up. */
export function paceOf(before: Reading | null, reading: Reading): number {
  if (reading.behind_seconds === 0 || before?.rate !== reading.rate || reading.readAt <= before.readAt) {
    return reading.rate;
  }
  const seen = ((reading.seconds - before.seconds) * 1000) / (reading.readAt - before.readAt);
  return Math.min(reading.rate, Math.max(0, seen));
}

/** What a clock that goes shows at a moment: never less than it has `shown`. */
export function shownAt(reading: Reading, pace: number, now: number, shown: number): number {
  const unheard = Math.min(Math.max(0, now - reading.readAt), unheardMillisecondsMax);
  return Math.max(shown, reading.seconds + (pace * unheard) / 1000);
}

/** What a clock that goes shows between the readings, in seconds of its sandbox. For each rate it is used anew. */
export function useShownSeconds({ seconds, rate, behind_seconds }: TrainingClock, readAt: number): number {
  const [shown, setShown] = useState(seconds);
  const last = useRef<Reading | null>(null);
  useEffect(() => {
    const reading = { seconds, rate, behind_seconds, readAt };
    const pace = paceOf(last.current, reading);
    last.current = reading;
    const timer = setInterval(() => {
      setShown((before) => shownAt(reading, pace, Date.now(), before));
    }, tickMilliseconds);
    return () => {
      clearInterval(timer);
    };
  }, [seconds, rate, behind_seconds, readAt]);
  return Math.max(shown, seconds);
}
