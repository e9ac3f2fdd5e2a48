// What waits to be transmitted, by database and by reason: exact sums of the topic, whatever rows are shown.
import type { Source } from './sources';

/** Messages of a database that wait for the same reason, as the facts of the topic tell them. */
export type TransmissionGroup = {
  database: string;
  /** Null: not tried yet, or sent and not acknowledged yet. */
  number: number | null;
  messages: number;
  conversations: number;
  /** Seconds since 1970 when the one that waits longest was put there. */
  oldest: number;
  text: string;
};

export type Depth = {
  key: string;
  source: Source;
  database: string;
  messages: number;
  blocked: number;
  oldest: number;
};

export type Reason = {
  number: number | null;
  messages: number;
  conversations: number;
  oldest: number;
  /** The status of one of those that wait longest. */
  text: string;
  /** `PARIS · Ventes`. */
  places: readonly string[];
};

/** `PARIS · Ventes`. */
export const placeName = (instance: string, database: string): string => `${instance} · ${database}`;

type Placed = TransmissionGroup & { source: Source };

function groupsOf(
  facts: Readonly<Record<string, unknown>>,
  sources: readonly Source[],
  database: string | null,
): Placed[] {
  return sources.flatMap((source) => {
    const { groups = [] } = (facts[source.instance] ?? {}) as { groups?: readonly TransmissionGroup[] };
    return groups
      .filter((group) => database === null || group.database === database)
      .map((group) => ({ ...group, source }));
  });
}

/** The databases in which something waits, the deepest first. */
export function depths(
  facts: Readonly<Record<string, unknown>>,
  sources: readonly Source[],
  database: string | null,
): Depth[] {
  const found = new Map<string, Depth>();
  for (const group of groupsOf(facts, sources, database)) {
    const key = placeName(group.source.instance, group.database);
    const before = found.get(key);
    found.set(key, {
      key,
      source: group.source,
      database: group.database,
      messages: (before?.messages ?? 0) + group.messages,
      blocked: (before?.blocked ?? 0) + (group.number === null ? 0 : group.messages),
      oldest: Math.min(before?.oldest ?? Infinity, group.oldest),
    });
  }
  return [...found.values()].toSorted(
    (one, other) => other.messages - one.messages || one.key.localeCompare(other.key),
  );
}

/** The reasons for which messages wait, that of most first. */
export function reasons(
  facts: Readonly<Record<string, unknown>>,
  sources: readonly Source[],
  database: string | null,
): Reason[] {
  const found = new Map<number | null, Reason>();
  for (const group of groupsOf(facts, sources, database)) {
    const before = found.get(group.number);
    const isOlder = before === undefined || group.oldest < before.oldest;
    found.set(group.number, {
      number: group.number,
      messages: (before?.messages ?? 0) + group.messages,
      conversations: (before?.conversations ?? 0) + group.conversations,
      oldest: isOlder ? group.oldest : before.oldest,
      text: isOlder ? group.text : before.text,
      places: [...(before?.places ?? []), placeName(group.source.instance, group.database)],
    });
  }
  return [...found.values()].toSorted(
    (one, other) => other.messages - one.messages || (one.number ?? 0) - (other.number ?? 0),
  );
}
