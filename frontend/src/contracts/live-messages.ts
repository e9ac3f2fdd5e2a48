// What travels on /ws/live. The rows carry SQL Server's own column names; instants are seconds since 1970, UTC.

export type ConversationState = 'SO' | 'SI' | 'CO' | 'DI' | 'DO' | 'CD' | 'ER';

export type LinkState = 'NEW' | 'CONNECTING' | 'CONNECTED' | 'LOGGED_IN' | 'CLOSED';

/** A row of sys.conversation_endpoints. */
export type ConversationEndpointRow = {
  conversation_handle: string;
  conversation_id: string;
  is_initiator: boolean;
  service_contract_name: string;
  conversation_group_id: string;
  service_name: string;
  lifetime: number;
  state: ConversationState;
  state_desc: string;
  far_service: string;
  far_broker_instance: string | null;
  security_timestamp: number;
  send_sequence: number;
  end_dialog_sequence: number;
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

export type DatabaseView = {
  name: string;
  broker_instance: string;
  is_broker_enabled: boolean;
  /** What it is now; a mirrored database that has taken another role differs from what is wanted. */
  state: 'online' | 'read_only' | 'single_user' | 'mirror' | 'offline';
  partner_address: string | null;
  conversation_endpoints: readonly ConversationEndpointRow[];
  conversation_endpoints_total: number;
  transmission_queue: readonly TransmissionQueueRow[];
  transmission_queue_total: number;
  queues: readonly QueueRow[];
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
  revision: number;
  last_event: number;
  endpoint_state: 'STARTED' | 'STOPPED' | 'DISABLED' | null;
  listening_port: number | null;
  listening_error: string;
  databases: readonly DatabaseView[];
  connections: readonly ConnectionRow[];
  forwarding_messages: number;
};

export type ClientMessage = { type: 'hello'; protocol: 1 } | { type: 'subscribe'; estate: string };

/** An open change set and how far it has come. */
export type ChangeSetTag = { number: number; sequence: number };

/** An instance that does not have what is wanted of it. */
export type InstanceBehind = { name: string; applied_revision: number; apply_error: string };

/** How far an estate has come. `state` is the tag that its answer over HTTP bears too; who is not in `behind` has what is wanted. */
export type TopologyMessage = {
  type: 'topology';
  revision: number;
  state: string;
  behind: readonly InstanceBehind[];
  change_sets: readonly ChangeSetTag[];
};

export type ServerMessage =
  | { type: 'welcome'; server_time: number }
  | { type: 'instance'; estate: string; sequence: number; view: InstanceView }
  | TopologyMessage
  | { type: 'unavailable'; instance: string; reason: string }
  | { type: 'heartbeat'; server_time: number }
  | { type: 'refused'; reason: string };
