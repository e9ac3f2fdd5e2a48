// The websocket's life as a pure state machine: `step(state, input)` gives the next state and the effects to carry
// out. Who carries them out (sockets, timers, the page's events) is `lib/live-session.ts`.
//
//   idle ─start→ connecting ─opened→ greeting ─welcome→ ready
//                    │                  │                │
//                    └─── closed, or silent for 11 s ────┴→ waiting ─retry, online, focus→ connecting
//   any ─refused→ refused            any ─stop→ idle
import type { ClientMessage, ServerMessage } from '@/contracts/live-messages';

export const timing = {
  backOffMilliseconds: 500,
  backOffMillisecondsMax: 30_000,
  /** The server beats every 5 s; two beats missed and something is wrong that the browser may never tell us. */
  silenceMillisecondsMax: 11_000,
  /** After so many attempts in a row have failed, the page asks over HTTP meanwhile. */
  failuresBeforePolling: 3,
} as const;

export type ConnectionState =
  | { phase: 'idle' }
  | { phase: 'connecting' | 'greeting' | 'ready'; failures: number }
  | { phase: 'waiting'; failures: number; retryMilliseconds: number }
  | { phase: 'refused'; code: number; reason: string };

export type ConnectionInput =
  | { type: 'start' }
  | { type: 'stop' }
  | { type: 'opened' }
  | { type: 'closed' }
  | { type: 'received'; message: ServerMessage }
  | { type: 'silent' }
  | { type: 'retry' }
  /** The network came back, or somebody looks at the page again. */
  | { type: 'nudged' };

export type ConnectionEffect =
  | { type: 'open' }
  | { type: 'close' }
  | { type: 'send'; message: ClientMessage }
  | { type: 'subscribe' }
  | { type: 'arm-watchdog'; milliseconds: number }
  | { type: 'disarm-watchdog' }
  | { type: 'arm-retry'; milliseconds: number }
  | { type: 'disarm-retry' };

export type ConnectionStep = { state: ConnectionState; effects: readonly ConnectionEffect[] };

const watch: ConnectionEffect = { type: 'arm-watchdog', milliseconds: timing.silenceMillisecondsMax };
const rest: readonly ConnectionEffect[] = [{ type: 'close' }, { type: 'disarm-watchdog' }, { type: 'disarm-retry' }];

/** Full jitter: any delay up to one that doubles with each failure, so that browsers do not come back in step. */
export function backOffMilliseconds(failures: number, random: number): number {
  const full = Math.min(timing.backOffMilliseconds * 2 ** failures, timing.backOffMillisecondsMax);
  return Math.round(timing.backOffMilliseconds + random * (full - timing.backOffMilliseconds));
}

/** Whether the socket has failed so often that the page asks over HTTP. */
export function isPollingTime(state: ConnectionState): boolean {
  return 'failures' in state && state.phase !== 'ready' && state.failures >= timing.failuresBeforePolling;
}

/** `random` is a number from 0 to 1, an argument so that this stays a function of what it is given. */
export function step(state: ConnectionState, input: ConnectionInput, random: number): ConnectionStep {
  switch (input.type) {
    case 'start':
      return { state: { phase: 'connecting', failures: 0 }, effects: [...rest, { type: 'open' }, watch] };
    case 'stop':
      return { state: { phase: 'idle' }, effects: rest };
    case 'opened':
      return state.phase === 'connecting'
        ? {
            state: { ...state, phase: 'greeting' },
            effects: [{ type: 'send', message: { type: 'hello', protocol: 2, tab: '' } }, watch],
          }
        : unchanged(state);
    case 'received':
      return received(state, input.message, random);
    case 'closed':
    case 'silent':
      return lost(state, random);
    case 'retry':
    case 'nudged':
      return state.phase === 'waiting'
        ? {
            state: { phase: 'connecting', failures: state.failures },
            effects: [{ type: 'disarm-retry' }, { type: 'open' }, watch],
          }
        : unchanged(state);
  }
}

function unchanged(state: ConnectionState): ConnectionStep {
  return { state, effects: [] };
}

function isOpen(
  state: ConnectionState,
): state is Extract<ConnectionState, { phase: 'connecting' | 'greeting' | 'ready' }> {
  return state.phase === 'connecting' || state.phase === 'greeting' || state.phase === 'ready';
}

function received(state: ConnectionState, message: ServerMessage, random: number): ConnectionStep {
  if (!isOpen(state)) {
    return unchanged(state);
  }
  if (message.type === 'refused' && message.reason === 'silent') {
    // The machine has slept, and has this from before: now it is awake.
    return lost(state, random);
  }
  if (message.type === 'refused') {
    return { state: { phase: 'refused', code: message.code, reason: message.reason }, effects: rest };
  }
  if (state.phase === 'greeting' && message.type === 'welcome') {
    return { state: { phase: 'ready', failures: 0 }, effects: [{ type: 'subscribe' }, watch] };
  }
  return { state, effects: [watch] };
}

function lost(state: ConnectionState, random: number): ConnectionStep {
  if (!isOpen(state)) {
    return unchanged(state);
  }
  const failures = state.failures + 1;
  const retryMilliseconds = backOffMilliseconds(failures, random);
  return {
    state: { phase: 'waiting', failures, retryMilliseconds },
    effects: [{ type: 'close' }, { type: 'disarm-watchdog' }, { type: 'arm-retry', milliseconds: retryMilliseconds }],
  };
}
