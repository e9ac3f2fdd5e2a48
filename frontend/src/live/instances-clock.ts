// What time it is for the instances on view: the server's, and in a sandbox one of its own that stands still or runs.
import type { EstateFacts } from '@/contracts/live-messages';

/** Milliseconds since 1970 by the clocks of the instances, when it is `server` by the server's. */
export function instancesNow(server: number, clock: EstateFacts['clock']): number {
  return clock === undefined ? server : clock.utc * 1000 + (server - clock.wall * 1000) * clock.rate;
}
