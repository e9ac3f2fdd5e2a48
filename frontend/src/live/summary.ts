// Each instance at a glance, as topic `instances` tells it: a row each, which stays when the instance falls silent. Who
// judges by it looks at the facts first (`grid/sources.ts`).
import type { ClosedKind } from './grid/conversations';
import type { ConversationState, DatabaseView, InstanceView, LinkState } from './instance-view';
import { recordsOf, type Table } from './tables';

/** The messages that take one route, since the instance was started. */
export type RouteUse = {
  route: string;
  /** Those with messages that wait for transmission or their acknowledgement. */
  conversations: number;
  messages: number;
  /** Messages of these that wait for a reason that has a number. */
  blocked: number;
  /** The number for which the most of them wait. */
  number: number | null;
  /** Seconds since 1970 when the message that waits longest was put there. */
  oldest: number | null;
  /** Messages that arrived, or that a forwarder passed on. */
  delivered: number;
};

export type DatabaseSummary = {
  name: string;
  broker_instance: string;
  is_broker_enabled: boolean;
  state: DatabaseView['state'];
  /** Why nothing moves in it, by the vendor's number; null when it does. */
  number: number | null;
  conversations: {
    total: number;
    by_state: Partial<Record<ConversationState, number>>;
    closed: Partial<Record<ClosedKind, number>>;
  };
  /** Messages in its transmission queue. */
  transmission: number;
  /** Seconds since 1970 when the one of them that waits longest was put there. */
  oldest: number | null;
  /** Messages of these that wait for a reason that has a number. */
  blocked: number;
  /** Messages in its queues that wait to be received. */
  ready: number;
  disabled_queues: readonly string[];
  /** Those of the disabled ones that poison messages have switched off. */
  poisoned_queues: readonly string[];
  readers: number;
  /** Queues with messages to be received and as many readers as MAX_QUEUE_READERS allows. */
  busy_queues: readonly string[];
  /** Its routes that messages take or have taken; an engine of an earlier version has none. */
  routes?: readonly RouteUse[];
};

export type MirrorSummary = {
  route: string;
  service: string;
  state: 'UNKNOWN' | 'KNOWN(A)' | 'KNOWN(M)' | 'SEARCHING';
  principal: string | null;
  are_both_principal: boolean;
};

export type InstanceSummary = {
  name: string;
  endpoint_state: InstanceView['endpoint_state'];
  listening_port: number | null;
  listening_error: string;
  databases: readonly DatabaseSummary[];
  /** Outgoing connections, by the state that was told last. */
  connections: Partial<Record<LinkState, number>>;
  /** Addresses to which there is none because of an error. */
  failing_connections: readonly string[];
  forwarded_messages: number;
  mirrors: readonly MirrorSummary[];
  /** What has gone wrong since the instance was started. */
  counts: {
    dropped: number;
    corrupted: number;
    forwards_dropped: number;
    rollbacks: number;
    activation_errors: number;
  };
};

export function summariesOf(table: Table): InstanceSummary[] {
  return recordsOf(table) as InstanceSummary[];
}
