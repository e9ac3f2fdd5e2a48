// What the connection badge says. It must never claim more than is so.
import { i18n } from '@/i18n';

import type { ConnectionState } from './connection';
import type { LiveState } from './reducer';

export type Liveness = 'live' | 'catching-up' | 'connecting' | 'offline' | 'refused';

export function livenessOf(connection: ConnectionState, live: LiveState, expected: readonly string[]): Liveness {
  switch (connection.phase) {
    case 'idle':
    case 'connecting':
    case 'greeting':
      return 'failures' in connection && connection.failures > 0 ? 'offline' : 'connecting';
    case 'waiting':
      return 'offline';
    case 'refused':
      return 'refused';
    case 'subscribed':
      return expected.every((name) => live.instances[name]?.isCurrent === true) ? 'live' : 'catching-up';
  }
}

const refusals = ['unauthenticated', 'forbidden', 'protocol', 'malformed', 'unknown-estate'] as const;

/** What the server's reason for refusing means; a reason we do not know is shown as it came. */
export function refusalWords(reason: string): string {
  const known = refusals.find((one) => one === reason);
  return known === undefined ? reason : i18n.t(`live:refusal.${known}`);
}

/** The badge's word, and the sentence for who asks. */
export function livenessWords(liveness: Liveness): { word: string; meaning: string } {
  return { word: i18n.t(`live:liveness.${liveness}.word`), meaning: i18n.t(`live:liveness.${liveness}.meaning`) };
}
