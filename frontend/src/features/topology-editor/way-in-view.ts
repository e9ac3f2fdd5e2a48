import type { ShownPath } from '@/topology/path';

/** What of a way is brought into view. */
export type WayInView = {
  part: ShownPath;
  /** Whether the whole way is too long for the frame, so that what is seen follows the decision that is explained. */
  isLong: boolean;
};

/**
 * The whole way. Where the frame is too small for it however small it is drawn, the decision that is explained, or the
 * first one, with its line; where that is too long as well, the place where it is made.
 */
export function wayInView(path: ShownPath, isSeen: (part: ShownPath) => boolean): WayInView {
  const whole = { ...path, hops: path.all };
  if (isSeen(whole)) {
    return { part: whole, isLong: false };
  }
  const now = path.now ?? 1;
  const decision = { ...path, hops: path.all.slice(now - 1, now), end: null };
  if (isSeen(decision)) {
    return { part: decision, isLong: true };
  }
  const hops = decision.hops.map((hop) => ({ ...hop, route: null, target: null }));
  return { part: { ...decision, hops }, isLong: true };
}
