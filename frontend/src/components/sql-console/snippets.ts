// Scripts to begin with, filled with names of the database at hand where it has some.
import type { Database, Estate } from '@/contracts/api';

import { bracketed } from './editor/model-names';

export type Snippet = {
  id: 'dialog' | 'receive' | 'waiting' | 'conversations' | 'transmissions' | 'transaction';
  text: string;
};

export function snippetsFor(estate: Estate, instance: string, database: string): Snippet[] {
  const here = databaseOf(estate, instance, database);
  const queue = queueText(here?.services[0]?.queue ?? here?.queues[0]?.name ?? 'dbo.MyQueue');
  return [
    { id: 'dialog', text: dialogScript(estate, here) },
    { id: 'receive', text: `${receive(queue, '')};\n` },
    { id: 'waiting', text: `WAITFOR (\n${receive(queue, '    ')}\n), TIMEOUT 60000;\n` },
    {
      id: 'conversations',
      text: lines(
        'SELECT conversation_handle,',
        '       state_desc,',
        '       far_service,',
        '       is_initiator',
        'FROM sys.conversation_endpoints',
        'ORDER BY state_desc;',
      ),
    },
    {
      id: 'transmissions',
      text: lines(
        'SELECT to_service_name,',
        '       message_type_name,',
        '       enqueue_time,',
        '       transmission_status',
        'FROM sys.transmission_queue',
        'ORDER BY enqueue_time;',
      ),
    },
    { id: 'transaction', text: 'BEGIN TRANSACTION;\n\n\nCOMMIT TRANSACTION;\n' },
  ];
}

function lines(...text: string[]): string {
  return [...text, ''].join('\n');
}

function receive(queue: string, indent: string): string {
  return [
    'RECEIVE TOP (1) conversation_handle,',
    '    message_type_name,',
    '    CAST(message_body AS nvarchar(max)) AS body',
    `FROM ${queue}`,
  ]
    .map((line) => indent + line)
    .join('\n');
}

function databaseOf(estate: Estate, instance: string, database: string): Database | undefined {
  return estate.instances.find(({ name }) => name === instance)?.databases.find(({ name }) => name === database);
}

function queueText(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? bracketed(name) : `${bracketed(name.slice(0, dot))}.${bracketed(name.slice(dot + 1))}`;
}

/** A dialog from the first service here to one that takes a contract which this database has too. */
function dialogScript(estate: Estate, here: Database | undefined): string {
  const from = here?.services[0]?.name ?? 'InitiatorService';
  const contracts = new Set(here?.contracts.map(({ name }) => name));
  const target = estate.instances
    .flatMap(({ databases }) => databases)
    .filter((database) => database !== here)
    .flatMap(({ services }) => services)
    .find((service) => service.contracts.some((contract) => contracts.has(contract)));
  const contract = target?.contracts.find((each) => contracts.has(each)) ?? 'DEFAULT';
  const use = here?.contracts.find(({ name }) => name === contract)?.uses.find(({ sent_by }) => sent_by !== 'TARGET');
  return lines(
    'DECLARE @handle UNIQUEIDENTIFIER;',
    `BEGIN DIALOG CONVERSATION @handle`,
    `    FROM SERVICE ${bracketed(from)}`,
    `    TO SERVICE N'${(target?.name ?? 'TargetService').replaceAll("'", "''")}'`,
    `    ON CONTRACT ${bracketed(contract)}`,
    '    WITH ENCRYPTION = OFF;',
    `SEND ON CONVERSATION @handle MESSAGE TYPE ${bracketed(use?.message_type ?? 'DEFAULT')} (N'<hello/>');`,
    'SELECT @handle AS conversation_handle;',
  );
}
