// What pages show of an instance, put together from the topics that are followed (`live/compose.ts`). Rows carry SQL
// Server's own column names; instants are seconds since 1970, UTC.

export type ConversationState = 'SO' | 'SI' | 'CO' | 'DI' | 'DO' | 'CD' | 'ER';

export type LinkState = 'NEW' | 'CONNECTING' | 'CONNECTED' | 'LOGGED_IN' | 'CLOSED';

/** A row of sys.conversation_endpoints, as far as pages show it. */
export type ConversationEndpointRow = {
  conversation_handle: string;
  conversation_id: string;
  is_initiator: boolean | number;
  conversation_group_id: string;
  service_name: string;
  lifetime: number;
  state: ConversationState;
  state_desc: string;
  far_service: string;
  far_broker_instance: string | null;
  send_sequence: number;
  receive_sequence: number;
  priority: number;
};

/** A row of sys.transmission_queue: the size of the body instead of the body. */
export type TransmissionQueueRow = {
  conversation_handle: string;
  to_service_name: string;
  to_broker_instance: string | null;
  from_service_name: string;
  service_contract_name: string;
  enqueue_time: number;
  message_sequence_number: number;
  message_type_name: string | null;
  is_conversation_error: boolean;
  is_end_of_dialog: boolean;
  message_body_bytes: number;
  transmission_status: string;
  transmission_status_number: number | null;
  priority: number;
};

/** Why poison-message handling has switched a queue off. */
export type QueuePoison = {
  at: number;
  rollbacks: number;
  conversation_handle: string;
  message_type_name: string;
  message_sequence_number: number;
};

export type QueueRow = {
  name: string;
  is_enabled: boolean;
  ready: number;
  /** Arrived early: an earlier message of its conversation is missing. */
  disabled: number;
  /** Came while the queue was off: in the transmission queue of the database. */
  awaiting: number;
  poison: QueuePoison | null;
};

/** Messages that wait for the same reason. */
export type Held = { number: number; text: string; messages: number };

export type DatabaseView = {
  name: string;
  broker_instance: string;
  is_broker_enabled: boolean;
  /** What it is now; a mirrored database that has taken another role differs from what is wanted. */
  state: 'online' | 'read_only' | 'single_user' | 'mirror' | 'offline';
  /** Messages in its queues that wait to be received. */
  ready: number;
  conversation_endpoints_total: number;
  transmission_queue_total: number;
  /** Seconds since 1970 when the message that waits longest there was put in; null when none does. */
  oldest: number | null;
  /** Messages of these that wait for a reason that has a number. */
  blocked: number;
  /** The reason for which most of them wait; null when there is none, or the topic is not followed. */
  held: Held | null;
  /** Null while the topic is not followed or has not come. */
  conversation_endpoints: readonly ConversationEndpointRow[] | null;
  transmission_queue: readonly TransmissionQueueRow[] | null;
  queues: readonly QueueRow[] | null;
};

export type ConnectionRow = {
  address: string;
  state: LinkState;
  peer: string | null;
  error: number | null;
  detail: string;
};

export type InstanceView = {
  name: string;
  endpoint_state: 'STARTED' | 'STOPPED' | 'DISABLED' | null;
  listening_port: number | null;
  listening_error: string;
  databases: readonly DatabaseView[];
  /** Null while the topic is not followed or has not come. */
  connections: readonly ConnectionRow[] | null;
  forwarding_messages: number;
};
