// Routes that time takes away.
import type { Estate, Route } from '@/contracts/api';

import { everyRoute, type Located } from './lookup';

const soonMilliseconds = 24 * 3_600_000;

export type Expiry = {
  /** Those that end within 24 hours, the next one first. */
  soon: readonly Located<Route>[];
  /** How many are over. */
  expired: number;
};

/**
 * `now` is in milliseconds since 1970. A route that says when it ends is judged by that, not by what was so when it was
 * read.
 */
export function expiryOf(estate: Estate, now: number): Expiry {
  const ending = everyRoute(estate).flatMap((route) =>
    route.value.expires_at === null ? [] : [{ route, at: Date.parse(route.value.expires_at) }],
  );
  return {
    soon: ending
      .filter(({ at }) => at > now && at <= now + soonMilliseconds)
      .toSorted((one, other) => one.at - other.at)
      .map(({ route }) => route),
    expired: ending.filter(({ at }) => at <= now).length,
  };
}
