// Decides whether what came over the wire are messages we know. The rows inside are made by the same release of the
// server, so envelopes are checked and rows are trusted.
import type { ServerMessage } from './live-messages';

type Field = 'string' | 'number' | 'boolean' | 'object';

/** The fields without which a message cannot be taken; `object` is an array too. */
const envelopes: Record<ServerMessage['type'], Readonly<Record<string, Field>>> = {
  welcome: { server_time: 'number', ack_seconds: 'number', heartbeat_seconds: 'number' },
  subscribed: { sub: 'number', stream: 'string', resumes: 'boolean' },
  snapshot: { stream: 'string', seq: 'number', columns: 'object', keys: 'object', rows: 'object', facts: 'object' },
  delta: { stream: 'string', from: 'number', to: 'number', ops: 'object' },
  hb: { server_time: 'number', streams: 'object' },
  resync: { stream: 'string', reason: 'string' },
  denied: { sub: 'number', code: 'number', reason: 'string' },
  mode: { mode: 'string' },
  rights: {},
  refused: { code: 'number', reason: 'string' },
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isMessage(value: unknown): value is ServerMessage {
  if (!isRecord(value) || typeof value.type !== 'string' || !Object.hasOwn(envelopes, value.type)) {
    return false;
  }
  const fields = envelopes[value.type as ServerMessage['type']];
  return Object.entries(fields).every(([name, type]) => typeof value[name] === type && value[name] !== null);
}

/** The messages of a frame that are ours, none when it is no frame: a newer server may say more than we understand. */
export function parseFrame(text: string): ServerMessage[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  return Array.isArray(value) ? value.filter(isMessage) : [];
}
