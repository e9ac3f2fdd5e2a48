// What the connection badge says. It must never claim more than is so.
import { i18n } from '@/i18n';
import type { Mode } from '@/contracts/live-messages';

import type { LiveState } from './compose';
import type { ConnectionState } from './connection';
import type { Denial, Topics } from './streams';

export type Liveness = 'live' | 'catching-up' | 'reduced' | 'polling' | 'paused' | 'connecting' | 'offline' | 'refused';

/** What the badge is about: a part of `lib/live-store`. */
export type Seen = {
  connection: ConnectionState;
  mode: Mode;
  isPolling: boolean;
  isPaused: boolean;
  topics: Topics;
  live: LiveState;
};

/** `expected` are the instances that the page is about. */
export function livenessOf(
  { connection, mode, isPolling, isPaused, live, topics }: Seen,
  expected: readonly string[],
): Liveness {
  switch (connection.phase) {
    case 'idle':
      return 'connecting';
    case 'refused':
      return 'refused';
    case 'connecting':
    case 'greeting':
    case 'waiting':
      if (isPolling) {
        return 'polling';
      }
      return connection.phase !== 'waiting' && connection.failures === 0 ? 'connecting' : 'offline';
    case 'ready':
      if (isPaused) {
        return 'paused';
      }
      if (mode === 'reduced') {
        return 'reduced';
      }
      return isKnown(topics, live, expected) ? 'live' : 'catching-up';
  }
}

/** Whether all that is followed has come on this connection, and something of each instance. */
function isKnown(topics: Seen['topics'], live: Seen['live'], expected: readonly string[]): boolean {
  return (
    expected.every((name) => live.instances[name]?.isCurrent === true) &&
    Object.values(topics).every(({ isCurrent, denied }) => isCurrent || denied !== null)
  );
}

const refusals = ['unauthenticated', 'forbidden', 'protocol', 'malformed', 'origin', 'too-many'] as const;

/** What the server's reason for refusing means; a reason we do not know is shown as it came. */
export function refusalWords(reason: string): string {
  const known = refusals.find((one) => one === reason);
  return known === undefined ? reason : i18n.t(`live:refusal.${known}`);
}

/** What the server's refusal to serve the page means for each of its topics; null where it refuses nothing. */
export function denialOf(state: ConnectionState): Denial | null {
  return state.phase === 'refused'
    ? { code: state.code, reason: state.reason, detail: refusalWords(state.reason) }
    : null;
}

/** The badge's word, and the sentence for who asks. */
export function livenessWords(liveness: Liveness): { word: string; meaning: string } {
  return { word: i18n.t(`live:liveness.${liveness}.word`), meaning: i18n.t(`live:liveness.${liveness}.meaning`) };
}
