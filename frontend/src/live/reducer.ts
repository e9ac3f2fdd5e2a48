// Folds what the server tells about the running instances into one value. Each view is whole, so a lost message costs
// freshness and never truth.
import type { InstanceView, ServerMessage, TopologyMessage } from '@/contracts/live-messages';

export type LiveInstance = {
  /** The newest view, null while the instance has never answered. */
  view: InstanceView | null;
  sequence: number;
  /** Milliseconds since 1970 by this browser's clock, null while there is no view. */
  seenAt: number | null;
  /** Why the engine does not answer for it now; null when it does. */
  unavailable: string | null;
  /** Whether anything came for it on the connection that is open now. */
  isCurrent: boolean;
};

export type LiveState = {
  estate: string | null;
  instances: Readonly<Record<string, LiveInstance>>;
  /** How far the estate has come, as the server said last. */
  topology: TopologyMessage | null;
  /** How far the server's clock is ahead of this browser's, in milliseconds; ages are reckoned by it. */
  clockAheadMilliseconds: number;
};

export const emptyLive: LiveState = { estate: null, instances: {}, topology: null, clockAheadMilliseconds: 0 };

export type LiveInput =
  | { type: 'message'; message: ServerMessage; at: number }
  | { type: 'connecting'; estate: string };

const neverSeen: LiveInstance = { view: null, sequence: -1, seenAt: null, unavailable: null, isCurrent: false };

export function reduceLive(state: LiveState, input: LiveInput): LiveState {
  return input.type === 'connecting' ? beginConnection(state, input.estate) : receive(state, input.message, input.at);
}

/** What was known stays on show, marked as not current; another estate starts empty. */
function beginConnection(state: LiveState, estate: string): LiveState {
  if (state.estate !== estate) {
    return { ...emptyLive, estate, clockAheadMilliseconds: state.clockAheadMilliseconds };
  }
  const instances = Object.fromEntries(
    Object.entries(state.instances).map(([name, one]) => [name, { ...one, sequence: -1, isCurrent: false }]),
  );
  return { ...state, instances };
}

function receive(state: LiveState, message: ServerMessage, at: number): LiveState {
  switch (message.type) {
    case 'instance':
      return message.estate === state.estate ? receiveView(state, message.view, message.sequence, at) : state;
    case 'unavailable':
      return withInstance(state, message.instance, (one) => ({ ...one, unavailable: message.reason, isCurrent: true }));
    case 'topology':
      return { ...state, topology: message };
    case 'heartbeat':
    case 'welcome':
      return { ...state, clockAheadMilliseconds: Math.round(message.server_time * 1000 - at) };
    case 'refused':
      return state;
  }
}

/** A view older than the one at hand is dropped: two reads may overtake each other on the server. */
function receiveView(state: LiveState, view: InstanceView, sequence: number, at: number): LiveState {
  const known = state.instances[view.name] ?? neverSeen;
  return sequence < known.sequence
    ? state
    : withInstance(state, view.name, () => ({ view, sequence, seenAt: at, unavailable: null, isCurrent: true }));
}

function withInstance(state: LiveState, name: string, change: (one: LiveInstance) => LiveInstance): LiveState {
  return { ...state, instances: { ...state.instances, [name]: change(state.instances[name] ?? neverSeen) } };
}
