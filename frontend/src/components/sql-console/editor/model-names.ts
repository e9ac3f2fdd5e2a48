// Names that a script may use, for completion: what the model of the estate has on the instance.
import type { Completion } from '@codemirror/autocomplete';

import type { Estate } from '@/contracts/api';

/** Views of Service Broker that queries are written over (views.md). */
const views = [
  'sys.conversation_endpoints',
  'sys.conversation_groups',
  'sys.conversation_priorities',
  'sys.databases',
  'sys.database_mirroring',
  'sys.dm_broker_activated_tasks',
  'sys.dm_broker_connections',
  'sys.dm_broker_forwarded_messages',
  'sys.dm_broker_queue_monitors',
  'sys.objects',
  'sys.remote_service_bindings',
  'sys.routes',
  'sys.service_broker_endpoints',
  'sys.service_contract_message_usages',
  'sys.service_contract_usages',
  'sys.service_contracts',
  'sys.service_message_types',
  'sys.service_queue_usages',
  'sys.service_queues',
  'sys.services',
  'sys.transmission_queue',
] as const;

const bare = /^[A-Za-z_#@][\w@#$]*$/;

/** A name as T-SQL takes it: in brackets where it needs some. */
export function bracketed(name: string): string {
  return bare.test(name) ? name : `[${name.replaceAll(']', ']]')}]`;
}

/** A queue with its schema, `dbo.[Commandes reçues]`. */
function queueName(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? bracketed(name) : `${bracketed(name.slice(0, dot))}.${bracketed(name.slice(dot + 1))}`;
}

/** Everything of the instance: objects of the database at hand first, then databases and services of everybody. */
export function modelNames(estate: Estate, instance: string, database: string): Completion[] {
  const here = estate.instances.find(({ name }) => name === instance);
  const found = here?.databases.find(({ name }) => name === database);
  const services = estate.instances.flatMap((each) =>
    each.databases.flatMap((one) =>
      one.services.map((service): Completion => ({
        label: service.name,
        type: 'class',
        detail: `SERVICE · ${each.name}`,
        apply: bracketed(service.name),
        boost: one === found ? 20 : 0,
      })),
    ),
  );
  return [
    ...(found?.queues ?? []).map(({ name }): Completion => ({
      label: name,
      type: 'variable',
      detail: 'QUEUE',
      apply: queueName(name),
      boost: 30,
    })),
    ...services,
    ...(found?.contracts ?? []).map(({ name }) => option(name, 'interface', 'CONTRACT')),
    ...(found?.message_types ?? []).map(({ name }) => option(name, 'enum', 'MESSAGE TYPE')),
    ...(found?.routes ?? []).map(({ name }) => option(name, 'property', 'ROUTE')),
    ...(here?.databases ?? []).map(({ name }) => option(name, 'namespace', 'DATABASE')),
    ...views.map((name): Completion => ({ label: name, type: 'type', detail: 'VIEW' })),
  ];
}

function option(name: string, type: string, detail: string): Completion {
  return { label: name, type, detail, apply: bracketed(name), boost: 10 };
}
