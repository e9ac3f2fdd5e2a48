// The live tables' rows: every instance's views laid out flat, each row with the place it comes from and a key that
// stays the same while the row exists.
import type {
  ConnectionRow,
  ConversationEndpointRow,
  DatabaseView,
  QueueRow,
  TransmissionQueueRow,
} from './instance-view';

import type { LiveState } from './compose';

export type Placed<Row> = Row & { key: string; instance: string; database: string };

export type LiveTables = {
  transmission: Placed<TransmissionQueueRow>[];
  conversations: Placed<ConversationEndpointRow>[];
  queues: Placed<QueueRow>[];
  connections: Placed<ConnectionRow>[];
  /** How many rows there are, of which the tables may hold only the first. */
  totals: { transmission: number; conversations: number };
};

export function liveTables(live: LiveState): LiveTables {
  const tables: LiveTables = {
    transmission: [],
    conversations: [],
    queues: [],
    connections: [],
    totals: { transmission: 0, conversations: 0 },
  };
  for (const [instance, { view }] of Object.entries(live.instances).toSorted(([one], [other]) =>
    one.localeCompare(other),
  )) {
    for (const database of view?.databases ?? []) {
      addDatabase(tables, instance, database);
    }
    for (const row of view?.connections ?? []) {
      tables.connections.push({ ...row, key: `${instance}/${row.address}`, instance, database: '' });
    }
  }
  return tables;
}

function addDatabase(tables: LiveTables, instance: string, view: DatabaseView): void {
  const place = { instance, database: view.name };
  const path = `${instance}/${view.name}`;
  for (const row of view.transmission_queue ?? []) {
    tables.transmission.push({
      ...row,
      ...place,
      key: `${path}/${row.conversation_handle}/${row.message_sequence_number}`,
    });
  }
  for (const row of view.conversation_endpoints ?? []) {
    tables.conversations.push({ ...row, ...place, key: `${path}/${row.conversation_handle}` });
  }
  for (const row of view.queues ?? []) {
    tables.queues.push({ ...row, ...place, key: `${path}/${row.name}` });
  }
  tables.totals.transmission += view.transmission_queue_total;
  tables.totals.conversations += view.conversation_endpoints_total;
}

/** Rows that came since the picture was frozen. */
export function countNew(frozen: LiveTables, current: LiveTables): number {
  return (['transmission', 'conversations', 'queues', 'connections'] as const)
    .map((table) => {
      const known = new Set(frozen[table].map((row) => row.key));
      return current[table].filter((row) => !known.has(row.key)).length;
    })
    .reduce((sum, count) => sum + count, 0);
}
