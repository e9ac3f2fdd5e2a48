// What instances say at a glance, for tests: all is well unless a test says otherwise.
import { emptyTable, type Table } from '@/live/tables';
import type { DatabaseSummary, InstanceSummary } from '@/live/summary';

export function databaseSummary(name: string, more: Partial<DatabaseSummary> = {}): DatabaseSummary {
  return {
    name,
    broker_instance: '00000000-0000-4000-8000-000000000000',
    is_broker_enabled: true,
    state: 'online',
    number: null,
    conversations: { total: 0, by_state: {}, closed: { retained: 0, overdue: 0, leaked: 0 } },
    transmission: 0,
    oldest: null,
    blocked: 0,
    ready: 0,
    disabled_queues: [],
    poisoned_queues: [],
    readers: 0,
    busy_queues: [],
    routes: [],
    ...more,
  };
}

export function instanceSummary(
  name: string,
  databases: DatabaseSummary[],
  more: Partial<InstanceSummary> = {},
): InstanceSummary {
  return {
    name,
    endpoint_state: 'STARTED',
    listening_port: 4022,
    listening_error: '',
    databases,
    connections: {},
    failing_connections: [],
    forwarded_messages: 0,
    mirrors: [],
    counts: { dropped: 0, corrupted: 0, forwards_dropped: 0, rollbacks: 0, activation_errors: 0 },
    ...more,
  };
}

/** The table of topic `instances` that says so; facts of instances beside it. */
export function summaryTable(summaries: readonly InstanceSummary[], facts: Table['facts'] = {}): Table {
  const names = Object.keys(instanceSummary('', [])) as (keyof InstanceSummary)[];
  return {
    ...emptyTable,
    columns: names.map((name) => ({ name, type: 'json', nullable: false, is_vendors: false })),
    keys: summaries.map(({ name }) => name),
    rows: summaries.map((summary) => names.map((name) => summary[name])),
    facts: { ...Object.fromEntries(summaries.map(({ name }) => [name, {}])), ...facts },
  };
}
