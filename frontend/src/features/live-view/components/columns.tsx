import type { Column } from '@/components/ui/data-table';
import { Badge } from '@/components/ui/badge';
import { ObjectName } from '@/components/ui/object-name';
import type { ConnectionRow, ConversationEndpointRow, QueueRow, TransmissionQueueRow } from '@/contracts/live-messages';
import type { Placed } from '@/live/rows';

import { Age, Id, Mono, Remaining, State, TransmissionStatus } from './cells';

type Transmission = Placed<TransmissionQueueRow>;
type Conversation = Placed<ConversationEndpointRow>;
type Queue = Placed<QueueRow>;
type Connection = Placed<ConnectionRow>;

const instance = { id: 'instance', title: 'Instance', width: 84, cell: (row: { instance: string }) => <Mono>{row.instance}</Mono> };
const database = { id: 'database', title: 'Database', width: 108, cell: (row: { database: string }) => <Mono>{row.database}</Mono> };

/** sys.transmission_queue under the vendor's column names. */
export const transmissionColumns: Column<Transmission>[] = [
  instance,
  database,
  { id: 'from', title: 'from_service_name', cell: (row) => <ObjectName>{row.from_service_name}</ObjectName> },
  { id: 'to', title: 'to_service_name', cell: (row) => <ObjectName>{row.to_service_name}</ObjectName> },
  { id: 'broker', title: 'to_broker_instance', width: 136, cell: (row) => <Id value={row.to_broker_instance} /> },
  { id: 'number', title: 'sequence', hint: 'message_sequence_number', width: 84, isNumber: true, cell: (row) => row.message_sequence_number.toLocaleString('en') },
  { id: 'type', title: 'message_type_name', width: 146, cell: (row) => <ObjectName>{messageKind(row)}</ObjectName> },
  { id: 'bytes', title: 'Bytes', hint: 'Size of message_body', width: 64, isNumber: true, cell: (row) => row.message_body_bytes.toLocaleString('en') },
  { id: 'age', title: 'Age', hint: 'Since enqueue_time; the time itself, in UTC, on hover', width: 98, isNumber: true, cell: (row) => <Age at={row.enqueue_time} /> },
  {
    id: 'status',
    title: 'transmission_status',
    cell: (row) => <TransmissionStatus number={row.transmission_status_number} text={row.transmission_status} />,
  },
];

function messageKind(row: Transmission): string {
  if (row.is_end_of_dialog) {
    return 'EndDialog';
  }
  return row.is_conversation_error ? 'Error' : (row.message_type_name ?? 'DEFAULT');
}

/** sys.conversation_endpoints under the vendor's column names. */
export const conversationColumns: Column<Conversation>[] = [
  instance,
  database,
  { id: 'handle', title: 'handle', hint: 'conversation_handle', width: 84, cell: (row) => <Id value={row.conversation_handle} /> },
  { id: 'role', title: 'Role', hint: 'is_initiator', width: 82, cell: (row) => (row.is_initiator ? 'Initiator' : 'Target') },
  { id: 'service', title: 'service_name', cell: (row) => <ObjectName>{row.service_name}</ObjectName> },
  { id: 'far', title: 'far_service', cell: (row) => <ObjectName>{row.far_service}</ObjectName> },
  {
    id: 'farBroker',
    title: 'far_broker_instance',
    hint: 'Known to an initiator once the first acknowledgement is here',
    width: 116,
    cell: (row) => <Id value={row.far_broker_instance} unknown="not known yet" />,
  },
  { id: 'state', title: 'state', width: 216, cell: (row) => <State state={row.state} /> },
  { id: 'send', title: 'send', hint: 'send_sequence: next number to send', width: 64, isNumber: true, cell: (row) => row.send_sequence },
  { id: 'receive', title: 'receive', hint: 'receive_sequence: next number expected', width: 72, isNumber: true, cell: (row) => row.receive_sequence },
  { id: 'lifetime', title: 'lifetime', hint: 'Until the end of its life, UTC on hover', width: 108, isNumber: true, cell: (row) => <Remaining until={row.lifetime} /> },
];

export const queueColumns: Column<Queue>[] = [
  instance,
  database,
  { id: 'queue', title: 'Queue', cell: (row) => <Mono>{row.name}</Mono> },
  {
    id: 'state',
    title: 'State',
    width: 120,
    cell: (row) => <Badge verdict={row.is_enabled ? 'delivered' : 'lost'}>{row.is_enabled ? 'Enabled' : 'Disabled'}</Badge>,
  },
  { id: 'ready', title: 'Ready', hint: 'status 1', width: 96, isNumber: true, cell: (row) => row.ready.toLocaleString('en') },
  { id: 'early', title: 'Early', hint: 'status 2: arrived before an earlier message', width: 96, isNumber: true, cell: (row) => row.disabled.toLocaleString('en') },
];

export const connectionColumns: Column<Connection>[] = [
  instance,
  { id: 'address', title: 'Address', width: 240, cell: (row) => <Mono>{row.address}</Mono> },
  { id: 'peer', title: 'Peer', width: 110, cell: (row) => (row.peer === null ? '' : <Mono>{row.peer}</Mono>) },
  {
    id: 'state',
    title: 'State',
    width: 150,
    cell: (row) => (
      <Badge verdict={row.error !== null ? 'lost' : row.state === 'LOGGED_IN' ? 'delivered' : undefined}>{row.state}</Badge>
    ),
  },
  {
    id: 'error',
    title: 'Error',
    cell: (row) => (row.error === null ? '' : <TransmissionStatus number={row.error} text={row.detail} />),
  },
];
