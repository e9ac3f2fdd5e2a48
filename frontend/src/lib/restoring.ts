// A simulation that the server makes anew from its log: each question carries it on, so it is asked until it is there.
import { ApiError } from './errors';

const usualSeconds = 1;

/** How far it is, in per cent; null for any other error, and for none. */
export function restoredPercent(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.problem.name !== 'sandbox-restoring') {
    return null;
  }
  const percent = error.problem.parameters?.percent;
  return typeof percent === 'number' ? percent : 0;
}

/** When the server wants to be asked again, in milliseconds. */
export function restoringDelay(error: unknown): number {
  const asked = error instanceof ApiError ? error.problem.retryAfterSeconds : undefined;
  return (asked ?? usualSeconds) * 1000;
}
