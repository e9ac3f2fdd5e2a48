// Decides whether what came over the wire is one of the messages we know. The rows inside a view are made by the
// same release of the server, so the envelope is checked and the rows are trusted.
import type { ServerMessage } from './live-messages';

const known: ReadonlySet<string> = new Set([
  'welcome',
  'instance',
  'topology',
  'unavailable',
  'heartbeat',
  'refused',
] satisfies ServerMessage['type'][]);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The message in `text`, or null when it is none of ours: a newer server may say more than we understand. */
export function parseServerMessage(text: string): ServerMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value) || typeof value.type !== 'string' || !known.has(value.type)) {
    return null;
  }
  if (value.type === 'instance' && !(isRecord(value.view) && typeof value.view.name === 'string')) {
    return null;
  }
  return value as ServerMessage;
}
