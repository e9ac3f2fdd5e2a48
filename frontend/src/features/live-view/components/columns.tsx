import type { TFunction } from 'i18next';

import type { Column } from '@/components/ui/data-table';
import { Badge } from '@/components/ui/badge';
import { ObjectName } from '@/components/ui/object-name';
import type { ConnectionRow, ConversationEndpointRow, QueueRow, TransmissionQueueRow } from '@/live/instance-view';
import { numberText } from '@/i18n';
import type { Placed } from '@/live/rows';

import { Age, Id, Mono, Remaining, State, TransmissionStatus } from './cells';

type Words = TFunction<'live'>;
type Transmission = Placed<TransmissionQueueRow>;
type Conversation = Placed<ConversationEndpointRow>;
type Queue = Placed<QueueRow>;
type Connection = Placed<ConnectionRow>;

const instance = (t: Words) => ({
  id: 'instance',
  title: t('columns.instance'),
  width: 84,
  cell: (row: { instance: string }) => <Mono>{row.instance}</Mono>,
});
const database = (t: Words) => ({
  id: 'database',
  title: t('columns.database'),
  width: 108,
  cell: (row: { database: string }) => <Mono>{row.database}</Mono>,
});

/** sys.transmission_queue under the vendor's column names. */
export const transmissionColumns = (t: Words): Column<Transmission>[] => [
  instance(t),
  database(t),
  { id: 'from', title: 'from_service_name', cell: (row) => <ObjectName>{row.from_service_name}</ObjectName> },
  { id: 'to', title: 'to_service_name', cell: (row) => <ObjectName>{row.to_service_name}</ObjectName> },
  {
    id: 'broker',
    title: 'to_broker_instance',
    term: 'brokerInstance',
    width: 136,
    cell: (row) => <Id value={row.to_broker_instance} />,
  },
  {
    id: 'number',
    title: 'sequence',
    hint: 'message_sequence_number',
    width: 84,
    isNumber: true,
    cell: (row) => numberText(row.message_sequence_number),
  },
  { id: 'type', title: 'message_type_name', width: 146, cell: (row) => <ObjectName>{messageKind(row)}</ObjectName> },
  {
    id: 'bytes',
    title: t('columns.bytes'),
    hint: t('columns.bytesHint'),
    width: 64,
    isNumber: true,
    cell: (row) => numberText(row.message_body_bytes),
  },
  {
    id: 'age',
    title: t('columns.age'),
    hint: t('columns.ageHint'),
    width: 98,
    isNumber: true,
    cell: (row) => <Age at={row.enqueue_time} />,
  },
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
export const conversationColumns = (t: Words): Column<Conversation>[] => [
  instance(t),
  database(t),
  {
    id: 'handle',
    title: 'handle',
    hint: 'conversation_handle',
    term: 'conversationHandle',
    width: 84,
    cell: (row) => <Id value={row.conversation_handle} />,
  },
  {
    id: 'role',
    title: t('columns.role'),
    hint: 'is_initiator',
    width: 82,
    cell: (row) => (row.is_initiator ? t('columns.initiator') : t('columns.target')),
  },
  { id: 'service', title: 'service_name', cell: (row) => <ObjectName>{row.service_name}</ObjectName> },
  { id: 'far', title: 'far_service', cell: (row) => <ObjectName>{row.far_service}</ObjectName> },
  {
    id: 'farBroker',
    title: 'far_broker_instance',
    hint: t('columns.farBrokerHint'),
    width: 150,
    cell: (row) => <Id value={row.far_broker_instance} unknown={t('columns.farBrokerUnknown')} />,
  },
  { id: 'state', title: 'state', width: 226, cell: (row) => <State state={row.state} /> },
  {
    id: 'send',
    title: 'send',
    hint: t('columns.sendHint'),
    width: 64,
    isNumber: true,
    cell: (row) => row.send_sequence,
  },
  {
    id: 'receive',
    title: 'receive',
    hint: t('columns.receiveHint'),
    width: 72,
    isNumber: true,
    cell: (row) => row.receive_sequence,
  },
  {
    id: 'lifetime',
    title: 'lifetime',
    hint: t('columns.lifetimeHint'),
    width: 108,
    isNumber: true,
    cell: (row) => <Remaining until={row.lifetime} />,
  },
];

export const queueColumns = (t: Words): Column<Queue>[] => [
  instance(t),
  database(t),
  { id: 'queue', title: t('columns.queue'), cell: (row) => <Mono>{row.name}</Mono> },
  {
    id: 'state',
    title: t('columns.state'),
    width: 120,
    cell: (row) => (
      <Badge verdict={row.is_enabled ? 'delivered' : 'lost'}>
        {row.is_enabled ? t('columns.enabled') : t('columns.disabled')}
      </Badge>
    ),
  },
  {
    id: 'ready',
    title: t('columns.ready'),
    hint: t('columns.readyHint'),
    width: 96,
    isNumber: true,
    cell: (row) => numberText(row.ready),
  },
  {
    id: 'early',
    title: t('columns.early'),
    hint: t('columns.earlyHint'),
    width: 96,
    isNumber: true,
    cell: (row) => numberText(row.disabled),
  },
];

export const connectionColumns = (t: Words): Column<Connection>[] => [
  instance(t),
  { id: 'address', title: t('columns.address'), width: 240, cell: (row) => <Mono>{row.address}</Mono> },
  {
    id: 'peer',
    title: t('columns.peer'),
    width: 110,
    cell: (row) => (row.peer === null ? '' : <Mono>{row.peer}</Mono>),
  },
  {
    id: 'state',
    title: t('columns.state'),
    width: 150,
    cell: (row) => (
      <Badge verdict={row.error !== null ? 'lost' : row.state === 'LOGGED_IN' ? 'delivered' : undefined}>
        {row.state}
      </Badge>
    ),
  },
  {
    id: 'error',
    title: t('columns.error'),
    cell: (row) => (row.error === null ? '' : <TransmissionStatus number={row.error} text={row.detail} />),
  },
];
