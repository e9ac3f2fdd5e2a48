// What pages show of an estate, put together from the topics that are followed.
import type { EstateFacts, InstanceFacts, Topic } from '@/contracts/live-messages';

import type {
  ConnectionRow,
  ConversationEndpointRow,
  DatabaseView,
  Held,
  InstanceView,
  LinkState,
  QueueRow,
  TransmissionQueueRow,
} from './instance-view';
import { keyOf, type Topics, type TopicState } from './streams';
import type { DatabaseSummary } from './summary';
import { recordsOf, type Table } from './tables';

export type LiveInstance = {
  /** The newest view, null while the instance has never answered. */
  view: InstanceView | null;
  /** Milliseconds since 1970 by this browser's clock, null while there is no view. */
  seenAt: number | null;
  /** Why the engine does not answer for it now; null when it does. */
  unavailable: string | null;
  /** Whether what is known of it came on the connection that is open now. */
  isCurrent: boolean;
};

export type LiveState = {
  estate: string | null;
  instances: Readonly<Record<string, LiveInstance>>;
  /** How far the estate has come, as the server said last. */
  progress: EstateFacts | null;
};

export const emptyLive: LiveState = { estate: null, instances: {}, progress: null };

type Row = Record<string, unknown>;

/** `clockAheadMilliseconds` is how far the server's clock is ahead of this browser's. */
export function compose(estate: string, topics: Topics, clockAheadMilliseconds: number): LiveState {
  const of = (topic: Topic) => topics[keyOf({ estate, topic, params: {} })];
  const summaries = of('instances');
  const tables = {
    conversations: placed(of('conversations')),
    transmissions: placed(of('transmissions')),
    queues: placed(of('queues')),
    connections: placed(of('connections')),
  };
  const groups = of('transmissions')?.table.facts ?? {};
  const names =
    summaries === undefined ? [] : [...new Set([...summaries.table.keys, ...Object.keys(summaries.table.facts)])];
  const rows = summaries === undefined ? [] : recordsOf(summaries.table);
  const instances = names.map((name): [string, LiveInstance] => {
    const row = rows.find((one) => one.name === name);
    const facts = summaries?.table.facts[name] as InstanceFacts | undefined;
    const silent = facts?.unavailable;
    const since = silent === undefined || silent.since === null ? null : silent.since * 1000 - clockAheadMilliseconds;
    return [
      name,
      {
        view: row === undefined ? null : viewOf(row, tables, (groups[name] as GroupFacts | undefined)?.groups ?? []),
        seenAt: row === undefined ? null : silent === undefined ? (summaries?.seenAt ?? null) : since,
        unavailable: silent?.reason ?? null,
        isCurrent: summaries?.isCurrent === true,
      },
    ];
  });
  return { estate, instances: Object.fromEntries(instances), progress: progressOf(of('estate')) };
}

function progressOf(topic: TopicState | undefined): EstateFacts | null {
  return topic === undefined || topic.seq === 0 || topic.table.facts.state === undefined
    ? null
    : (topic.table.facts as EstateFacts);
}

type GroupFacts = { groups?: readonly Group[] };
type Group = { database: string; number: number | null; text: string; messages: number };

/** Rows of a topic by instance, and by instance and database; null while it has not come. */
type Placed = ReadonlyMap<string, readonly Row[]> | null;

const known = new WeakMap<Table, Map<string, Row[]>>();

function placed(topic: TopicState | undefined): Placed {
  if (topic === undefined || topic.seq === 0) {
    return null;
  }
  let found = known.get(topic.table);
  if (found === undefined) {
    found = new Map<string, Row[]>();
    for (const row of recordsOf(topic.table)) {
      const place = placeOf(row.instance_name, row.database_name);
      const there = found.get(place);
      if (there === undefined) {
        found.set(place, [row]);
      } else {
        there.push(row);
      }
    }
    known.set(topic.table, found);
  }
  return found;
}

function placeOf(instance: unknown, database: unknown): string {
  return JSON.stringify([instance, database ?? null]);
}

type Tables = { conversations: Placed; transmissions: Placed; queues: Placed; connections: Placed };

function viewOf(row: Row, tables: Tables, groups: readonly Group[]): InstanceView {
  const name = row.name as string;
  const databases = row.databases as readonly DatabaseSummary[];
  const connections = tables.connections === null ? null : (tables.connections.get(placeOf(name, null)) ?? []);
  return {
    name,
    endpoint_state: row.endpoint_state as InstanceView['endpoint_state'],
    listening_port: row.listening_port as number | null,
    listening_error: row.listening_error as string,
    databases: databases.map((database) => databaseOf(name, database, tables, groups)),
    connections: connections?.filter(({ address }) => address !== null).map(connectionOf) ?? null,
    forwarding_messages: row.forwarded_messages as number,
  };
}

function databaseOf(
  instance: string,
  summary: DatabaseSummary,
  tables: Tables,
  groups: readonly Group[],
): DatabaseView {
  const rows = (table: Placed) => (table === null ? null : (table.get(placeOf(instance, summary.name)) ?? []));
  return {
    name: summary.name,
    broker_instance: summary.broker_instance,
    is_broker_enabled: summary.is_broker_enabled,
    state: summary.state,
    ready: summary.ready,
    conversation_endpoints_total: summary.conversations.total,
    transmission_queue_total: summary.transmission,
    oldest: summary.oldest,
    blocked: summary.blocked,
    held: heldOf(groups.filter((group) => group.database === summary.name)),
    conversation_endpoints: rows(tables.conversations) as readonly ConversationEndpointRow[] | null,
    transmission_queue: rows(tables.transmissions) as readonly TransmissionQueueRow[] | null,
    queues: rows(tables.queues)?.map(queueOf) ?? null,
  };
}

/** The numbered reason for which most messages wait. */
function heldOf(groups: readonly Group[]): Held | null {
  const numbered = groups.flatMap(({ number, text, messages }) =>
    number === null ? [] : [{ number, text, messages }],
  );
  return numbered.toSorted((one, other) => other.messages - one.messages)[0] ?? null;
}

function queueOf(row: Row): QueueRow {
  const at = row.poisoned_at as number | null;
  return {
    name: row.queue_name as string,
    is_enabled: row.is_receive_enabled as boolean,
    ready: row.ready as number,
    disabled: row.not_complete as number,
    awaiting: row.awaiting as number,
    poison:
      at === null
        ? null
        : {
            at,
            rollbacks: row.poison_rollbacks as number,
            conversation_handle: row.poison_conversation_handle as string,
            message_type_name: row.poison_message_type_name as string,
            message_sequence_number: row.poison_message_sequence_number as number,
          },
  };
}

function connectionOf(row: Row): ConnectionRow {
  return {
    address: row.address as string,
    state: (row.state_desc ?? 'CLOSED') as LinkState,
    peer: row.peer_instance as string | null,
    error: row.error as number | null,
    detail: (row.detail ?? '') as string,
  };
}
