// The terms of the glossary, by name, each with what T-SQL calls it; null for a word of this product alone.
// What they mean stands in locales/LANGUAGE/glossary.json under the same names.

export const terms = {
  acknowledgement: null,
  activation: 'ALTER QUEUE … ACTIVATION',
  brokerInstance: 'sys.databases.service_broker_guid',
  contract: 'CREATE CONTRACT',
  conversation: 'sys.conversation_endpoints',
  conversationGroup: 'sys.conversation_groups',
  conversationHandle: 'BEGIN DIALOG @handle',
  conversationPriority: 'CREATE BROKER PRIORITY',
  dialog: 'BEGIN DIALOG CONVERSATION',
  dialogSecurity: 'BEGIN DIALOG … ENCRYPTION',
  draft: null,
  endpoint: 'CREATE ENDPOINT … FOR SERVICE_BROKER',
  estate: null,
  finding: null,
  forwarding: 'MESSAGE_FORWARDING',
  gate: 'msdb.sys.routes',
  instance: '@@SERVERNAME',
  messageType: 'CREATE MESSAGE TYPE',
  mirrorAddress: 'CREATE ROUTE … MIRROR_ADDRESS',
  mirroring: 'sys.database_mirroring',
  poisonMessage: 'ALTER QUEUE … POISON_MESSAGE_HANDLING',
  principal: 'sys.database_mirroring.mirroring_role',
  queue: 'CREATE QUEUE',
  remoteServiceBinding: 'CREATE REMOTE SERVICE BINDING',
  revision: null,
  route: 'CREATE ROUTE',
  service: 'CREATE SERVICE',
  transmissionQueue: 'sys.transmission_queue',
} as const satisfies Record<string, string | null>;

export type TermName = keyof typeof terms;

export const termNames = Object.keys(terms) as TermName[];
