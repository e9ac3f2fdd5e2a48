// What a list shows of each kind of object, what it can be filtered by, and which fields its form has.
import type { operations } from '@/contracts/generated/api';

export type KindName = operations['objects_list']['parameters']['path']['kind'];
export type Sort = NonNullable<NonNullable<operations['objects_list']['parameters']['query']>['sort']>;

export type FieldName =
  | 'activation'
  | 'address'
  | 'authentication'
  | 'broker_instance'
  | 'contract'
  | 'contracts'
  | 'encryption'
  | 'events'
  | 'execute_as'
  | 'expires_at'
  | 'host_names'
  | 'is_active_for_begin_dialog'
  | 'is_anonymous'
  | 'is_broker_enabled'
  | 'is_enabled'
  | 'is_message_forwarding_enabled'
  | 'is_poison_message_handling_enabled'
  | 'is_priority_honoured'
  | 'is_retention_enabled'
  | 'key_bits'
  | 'kind'
  | 'level'
  | 'lifetime_seconds'
  | 'listener_ip'
  | 'local_service'
  | 'login'
  | 'max_queue_readers'
  | 'message_forward_size_megabytes'
  | 'mirror_address'
  | 'owner'
  | 'partner_address'
  | 'port'
  | 'procedure_name'
  | 'queue'
  | 'remote_service'
  | 'schema_collection'
  | 'service_name'
  | 'state'
  | 'subject'
  | 'to_service'
  | 'user'
  | 'uses'
  | 'validation';

export type Column = {
  field: FieldName;
  /** In the answer's fields; by default as the field. */
  path?: string;
  sort?: Sort;
  width?: number;
  shape?: 'time' | 'number' | 'flag';
};

export type FieldShape = 'text' | 'number' | 'flag' | 'choice' | 'names' | 'uses' | 'events';
export type Source = 'service' | 'queue' | 'contract' | 'messageType' | 'address' | 'broker';

export type FormField = {
  field: FieldName;
  shape: FieldShape;
  /** Where it stands in the answer's fields; by default as the field. */
  path?: string;
  choices?: readonly string[];
  source?: Source;
  isRequired?: boolean;
  /** 'create' and 'alter' restrict it to one of the two forms; several can be changed in one go unless `isSingle`. */
  only?: 'create' | 'alter';
  isSingle?: boolean;
  /** What a new object has. */
  initial?: unknown;
  /** Fields of ACTIVATION travel together. */
  part?: 'activation';
};

export type Filter = 'service' | 'target' | 'state' | 'on' | 'expired';

export type Kind = {
  columns: readonly Column[];
  filters: readonly Filter[];
  states?: readonly string[];
  form: readonly FormField[];
  home: 'estate' | 'instance' | 'database';
  /** Whether the form can make one, and whether it can be dropped. */
  canCreate: boolean;
  canDrop: boolean;
};

const validations = ['NONE', 'EMPTY', 'WELL_FORMED_XML', 'VALID_XML'] as const;
const databaseStates = ['online', 'read_only', 'single_user', 'mirror', 'offline'] as const;
const endpointStates = ['STARTED', 'STOPPED', 'DISABLED'] as const;

export const kinds: Record<KindName, Kind> = {
  instance: {
    home: 'estate',
    columns: [{ field: 'host_names', sort: 'target' }],
    filters: ['target'],
    form: [{ field: 'host_names', shape: 'names', initial: [] }],
    canCreate: true,
    canDrop: false,
  },
  database: {
    home: 'instance',
    columns: [
      { field: 'is_broker_enabled', sort: 'on', shape: 'flag', width: 130 },
      { field: 'state', sort: 'state', width: 120 },
      { field: 'broker_instance', width: 300 },
      { field: 'partner_address', sort: 'target' },
    ],
    filters: ['target', 'state', 'on'],
    states: databaseStates,
    form: [
      { field: 'broker_instance', shape: 'text', only: 'create' },
      { field: 'is_broker_enabled', shape: 'flag', initial: true },
      { field: 'state', shape: 'choice', choices: databaseStates, only: 'alter' },
      { field: 'partner_address', shape: 'text', only: 'alter', isSingle: true },
      { field: 'is_priority_honoured', shape: 'flag', only: 'alter' },
    ],
    canCreate: true,
    canDrop: true,
  },
  service: {
    home: 'database',
    columns: [
      { field: 'queue', sort: 'target' },
      { field: 'contracts', sort: 'level' },
      { field: 'owner', width: 130 },
    ],
    filters: ['target'],
    form: [
      { field: 'queue', shape: 'text', source: 'queue', isRequired: true },
      { field: 'contracts', shape: 'names', source: 'contract', initial: [], isSingle: true },
      { field: 'owner', shape: 'text', initial: 'dbo' },
    ],
    canCreate: true,
    canDrop: true,
  },
  queue: {
    home: 'database',
    columns: [
      { field: 'is_enabled', sort: 'on', shape: 'flag', width: 110 },
      { field: 'is_retention_enabled', shape: 'flag', width: 110 },
      { field: 'is_poison_message_handling_enabled', shape: 'flag', width: 130 },
      { field: 'procedure_name', path: 'activation.procedure_name', sort: 'target' },
      { field: 'max_queue_readers', path: 'activation.max_queue_readers', sort: 'level', shape: 'number', width: 110 },
    ],
    filters: ['target', 'state', 'on'],
    states: ['ON', 'OFF'],
    form: [
      { field: 'is_enabled', shape: 'flag', initial: true },
      { field: 'is_retention_enabled', shape: 'flag', initial: false },
      { field: 'is_poison_message_handling_enabled', shape: 'flag', initial: true },
      { field: 'activation', shape: 'flag', path: 'activation.is_enabled', part: 'activation', initial: false },
      { field: 'procedure_name', shape: 'text', path: 'activation.procedure_name', part: 'activation', initial: '' },
      {
        field: 'max_queue_readers',
        shape: 'number',
        path: 'activation.max_queue_readers',
        part: 'activation',
        initial: 1,
      },
      { field: 'execute_as', shape: 'text', path: 'activation.execute_as', part: 'activation', initial: 'SELF' },
    ],
    canCreate: true,
    canDrop: true,
  },
  contract: {
    home: 'database',
    columns: [{ field: 'uses', sort: 'level' }],
    filters: [],
    form: [{ field: 'uses', shape: 'uses', only: 'create', isRequired: true, initial: [] }],
    canCreate: true,
    canDrop: true,
  },
  'message-type': {
    home: 'database',
    columns: [
      { field: 'validation', sort: 'state', width: 180 },
      { field: 'schema_collection', sort: 'target' },
    ],
    filters: ['state'],
    states: validations,
    form: [
      { field: 'validation', shape: 'choice', choices: validations, initial: 'NONE' },
      { field: 'schema_collection', shape: 'text' },
    ],
    canCreate: true,
    canDrop: true,
  },
  route: {
    home: 'database',
    columns: [
      { field: 'service_name', sort: 'service' },
      { field: 'address', sort: 'target', width: 170 },
      { field: 'broker_instance', width: 110 },
      { field: 'expires_at', sort: 'expires', shape: 'time', width: 240 },
      { field: 'mirror_address', sort: 'on', width: 150 },
    ],
    filters: ['service', 'target', 'state', 'expired'],
    states: ['LOCAL', 'TRANSPORT', 'TCP'],
    form: [
      { field: 'address', shape: 'text', source: 'address', isRequired: true },
      { field: 'lifetime_seconds', shape: 'number' },
      { field: 'service_name', shape: 'text', source: 'service' },
      { field: 'broker_instance', shape: 'text', source: 'broker' },
      { field: 'mirror_address', shape: 'text', source: 'address' },
    ],
    canCreate: true,
    canDrop: true,
  },
  endpoint: {
    home: 'instance',
    columns: [
      { field: 'state', sort: 'state', width: 110 },
      { field: 'port', sort: 'level', shape: 'number', width: 80 },
      { field: 'is_message_forwarding_enabled', sort: 'on', shape: 'flag', width: 120 },
      { field: 'authentication', sort: 'target' },
      { field: 'encryption' },
    ],
    filters: ['state', 'on'],
    states: endpointStates,
    form: [
      { field: 'state', shape: 'choice', choices: endpointStates, initial: 'STARTED' },
      { field: 'port', shape: 'number', initial: 4022 },
      { field: 'listener_ip', shape: 'text' },
      { field: 'is_message_forwarding_enabled', shape: 'flag', initial: false },
      { field: 'message_forward_size_megabytes', shape: 'number', initial: 10 },
      { field: 'authentication', shape: 'text', initial: 'WINDOWS NEGOTIATE' },
      { field: 'encryption', shape: 'text', initial: 'REQUIRED ALGORITHM AES' },
    ],
    canCreate: true,
    canDrop: true,
  },
  'remote-service-binding': {
    home: 'database',
    columns: [
      { field: 'service_name', sort: 'service' },
      { field: 'user', sort: 'target' },
      { field: 'is_anonymous', sort: 'on', shape: 'flag', width: 120 },
    ],
    filters: ['service', 'target', 'on'],
    form: [
      { field: 'service_name', shape: 'text', source: 'service', only: 'create', isRequired: true },
      { field: 'user', shape: 'text', isRequired: true },
      { field: 'is_anonymous', shape: 'flag', initial: false },
    ],
    canCreate: true,
    canDrop: true,
  },
  certificate: {
    home: 'database',
    columns: [
      { field: 'subject' },
      { field: 'owner', sort: 'target', width: 140 },
      { field: 'expires_at', sort: 'expires', shape: 'time', width: 250 },
      { field: 'is_active_for_begin_dialog', sort: 'on', shape: 'flag', width: 140 },
      { field: 'key_bits', shape: 'number', width: 90 },
    ],
    filters: ['target', 'on', 'expired'],
    form: [{ field: 'is_active_for_begin_dialog', shape: 'flag', only: 'alter' }],
    canCreate: false,
    canDrop: true,
  },
  user: {
    home: 'database',
    columns: [
      { field: 'login', sort: 'target' },
      { field: 'kind', sort: 'state', width: 160 },
    ],
    filters: ['target'],
    form: [{ field: 'login', shape: 'text', only: 'create' }],
    canCreate: true,
    canDrop: true,
  },
  login: { home: 'instance', columns: [], filters: [], form: [], canCreate: true, canDrop: true },
  priority: {
    home: 'database',
    columns: [
      { field: 'level', sort: 'level', shape: 'number', width: 80 },
      { field: 'contract', sort: 'state' },
      { field: 'local_service', sort: 'service' },
      { field: 'remote_service', sort: 'target' },
    ],
    filters: ['service', 'target'],
    form: [
      { field: 'level', shape: 'number', initial: 5 },
      { field: 'contract', shape: 'text', source: 'contract' },
      { field: 'local_service', shape: 'text', source: 'service' },
      { field: 'remote_service', shape: 'text', source: 'service' },
    ],
    canCreate: true,
    canDrop: true,
  },
  'event-notification': {
    home: 'database',
    columns: [
      { field: 'queue', sort: 'target' },
      { field: 'events', sort: 'level' },
      { field: 'to_service', sort: 'service' },
    ],
    filters: ['service', 'target'],
    form: [
      { field: 'queue', shape: 'text', source: 'queue', only: 'create', isRequired: true },
      { field: 'events', shape: 'events', only: 'create', isRequired: true, initial: ['QUEUE_ACTIVATION'] },
      { field: 'to_service', shape: 'text', source: 'service', only: 'create', isRequired: true },
    ],
    canCreate: true,
    canDrop: true,
  },
  'master-key': { home: 'database', columns: [], filters: [], form: [], canCreate: false, canDrop: false },
};

/** Kinds in the order of the navigation. Mirrors are the databases that have a partner. */
export const listed = [
  'instance',
  'database',
  'service',
  'queue',
  'contract',
  'message-type',
  'route',
  'endpoint',
  'remote-service-binding',
  'certificate',
  'user',
  'login',
  'priority',
  'event-notification',
] as const satisfies readonly KindName[];

export function isKind(text: string | undefined): text is KindName {
  return text !== undefined && text in kinds;
}
