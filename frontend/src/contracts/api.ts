// Shapes of the JSON API.
export type EndpointState = 'STARTED' | 'STOPPED' | 'DISABLED';
export type DatabaseState = 'online' | 'read_only' | 'single_user' | 'mirror' | 'offline';
export type AddressKind = 'local' | 'transport' | 'tcp';
export type Role = 'viewer' | 'operator' | 'editor' | 'trainer' | 'admin';

export type Route = {
  name: string;
  service_name: string | null;
  broker_instance: string | null;
  expires_at: string | null;
  is_expired: boolean;
  address: string;
  address_kind: AddressKind;
  mirror_address: string | null;
  target_instance: string | null;
  mirror_target_instance: string | null;
};

export type Service = { name: string; queue: string; contracts: string[] };
export type Contract = { name: string; uses: { message_type: string; sent_by: 'INITIATOR' | 'TARGET' | 'ANY' }[] };
export type MessageType = { name: string; validation: string };

export type Database = {
  name: string;
  broker_instance: string;
  is_broker_enabled: boolean;
  state: DatabaseState;
  partner_address: string | null;
  queues: { name: string; is_enabled: boolean }[];
  services: Service[];
  contracts: Contract[];
  message_types: MessageType[];
  routes: Route[];
};

export type Endpoint = {
  name: string;
  port: number;
  state: EndpointState;
  is_message_forwarding_enabled: boolean;
  message_forward_size_megabytes: number;
};

export type Instance = {
  name: string;
  host_names: string[];
  desired_revision: number;
  applied_revision: number;
  apply_error: string;
  endpoint: Endpoint | null;
  databases: Database[];
};

export type Mirror = { database: string; broker_instance: string; instances: string[] };

export type Estate = { name: string; pace: number; revision: number; instances: Instance[]; mirrors: Mirror[] };
