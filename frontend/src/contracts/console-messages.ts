// What travels on /ws/console, protocol 1 (docs/sql-console.md). A frame of the server is an array of messages, one of
// the page a single one. Cells are JSON: bytes are `0x` and digits, a datetime is seconds since 1970, UTC.

export type ConsoleCell = string | number | boolean | null;

export type ConsoleColumn = { name: string; type: string };

export type ConsoleRequest =
  | { type: 'hello'; protocol: 1; estate: string; instance: string; database: string; language: string }
  | { type: 'run'; id: number; script: string }
  | { type: 'cancel'; id: number }
  | { type: 'complete'; id: number; script: string; position: number }
  | { type: 'ack'; frames: number }
  | { type: 'hb' };

export type Welcome = {
  type: 'welcome';
  instance: string;
  database: string;
  heartbeat_seconds: number;
  /** Bodies of messages read as NULL: the person lacks the right to read them. */
  withholds_bodies: boolean;
  /** Definitions may be changed. */
  may_define: boolean;
};

export type ConsoleFailure = {
  number: number;
  severity: number;
  state: number;
  /** Counted in the script that was sent, from 1. */
  line: number;
  message: string;
  why: string;
  cure: string;
};

/** Why there is no session, or why a script does not run. */
export type ConsoleRefusal = { code: number; reason: string; detail: string };

export type RunMessage =
  | {
      type: 'result-set';
      id: number;
      line: number;
      columns: readonly ConsoleColumn[];
      rows: readonly (readonly ConsoleCell[])[];
      /** Whether these are all rows; else `rows` messages follow. */
      is_whole: boolean;
    }
  | { type: 'rows'; id: number; rows: readonly (readonly ConsoleCell[])[]; is_whole: boolean }
  | { type: 'printed'; id: number; text: string; line: number }
  | { type: 'rows-affected'; id: number; count: number; line: number }
  | ({ type: 'failed'; id: number } & ConsoleFailure)
  | {
      type: 'done';
      id: number;
      outcome: 'finished' | 'cancelled';
      elapsed_seconds: number;
      /** @@TRANCOUNT. */
      transaction_count: number;
      database: string;
    };

export type CompletionOption = { label: string; kind: string; detail: string; apply: string };

export type ConsoleMessage =
  | Welcome
  | RunMessage
  | { type: 'completion'; id: number; begins_at: number; options: readonly CompletionOption[] }
  | ({ type: 'denied'; id: number } & ConsoleRefusal)
  | ({ type: 'refused' } & ConsoleRefusal)
  | { type: 'hb' };

type Field = 'string' | 'number' | 'boolean' | 'object';

/** The fields without which a message cannot be taken; `object` is an array too. */
const envelopes: Record<ConsoleMessage['type'], Readonly<Record<string, Field>>> = {
  welcome: { instance: 'string', database: 'string', heartbeat_seconds: 'number' },
  'result-set': { id: 'number', line: 'number', columns: 'object', rows: 'object', is_whole: 'boolean' },
  rows: { id: 'number', rows: 'object', is_whole: 'boolean' },
  printed: { id: 'number', text: 'string', line: 'number' },
  'rows-affected': { id: 'number', count: 'number' },
  failed: { id: 'number', number: 'number', line: 'number', message: 'string' },
  done: { id: 'number', outcome: 'string', transaction_count: 'number', database: 'string' },
  completion: { id: 'number', begins_at: 'number', options: 'object' },
  denied: { id: 'number', code: 'number', reason: 'string' },
  refused: { code: 'number', reason: 'string' },
  hb: {},
};

function isMessage(value: unknown): value is ConsoleMessage {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const given: Record<string, unknown> = { ...value };
  if (typeof given.type !== 'string' || !Object.hasOwn(envelopes, given.type)) {
    return false;
  }
  const fields = envelopes[given.type as ConsoleMessage['type']];
  return Object.entries(fields).every(([name, type]) => typeof given[name] === type && given[name] !== null);
}

/** The messages of a frame that are ours, none when it is no frame: a newer server may say more than we understand. */
export function parseConsoleFrame(text: string): ConsoleMessage[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  return Array.isArray(value) ? value.filter(isMessage) : [];
}
