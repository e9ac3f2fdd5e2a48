// What the connection badge says. It must never claim more than is so.
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

/** What the server's reasons for refusing mean; a reason we do not know is shown as it came. */
export const refusalWords: Readonly<Record<string, string>> = {
  unauthenticated: 'Nobody is logged in any more.',
  forbidden: 'Your role may not view estates.',
  protocol: 'This page and the server are of different versions. Reload the page.',
  malformed: 'The server did not understand this page. Reload it.',
  'unknown-estate': 'There is no such estate any more.',
};

export const livenessWords: Record<Liveness, { word: string; meaning: string }> = {
  live: { word: 'Live', meaning: 'Values are those of the running engine.' },
  'catching-up': { word: 'Catching up', meaning: 'Connected; the first values of some instances are on their way.' },
  connecting: { word: 'Connecting', meaning: 'The connection to the server is being opened.' },
  offline: { word: 'Offline', meaning: 'The connection is lost. What is shown is old and marked with its age.' },
  refused: { word: 'Refused', meaning: 'The server does not serve live values to this session.' },
};
