// Routes that expire, by the instant at which they do.
import type { FutureEvent } from '@/contracts/api';

export type Instant = { at: string; events: FutureEvent[] };

/** The instants in their order, each with all that happens at it. */
export function instantsOf(events: readonly FutureEvent[]): Instant[] {
  const instants = new Map<number, Instant>();
  for (const event of events) {
    const when = Date.parse(event.at);
    const instant = instants.get(when) ?? { at: event.at, events: [] };
    instant.events.push(event);
    instants.set(when, instant);
  }
  return [...instants].sort(([one], [other]) => one - other).map(([, instant]) => instant);
}
