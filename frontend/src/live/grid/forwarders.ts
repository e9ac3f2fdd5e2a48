// What forwarders hold and what they have dropped: the sums of topic `forwarded`, whatever rows are shown.
import type { Source } from './sources';

/** Numbers for which a forwarder drops a message (protocol.md 7.4). */
export const dropNumbers = [11285, 11286, 11288, 11289, 11290, 11291, 11292, 11293, 11294, 28071] as const;

export type DropNumber = (typeof dropNumbers)[number];

type Drop = { number: number; messages: number; last_at: number; text: string };

/** What an instance tells beside its rows. */
export type Transit = {
  is_enabled: boolean;
  messages: number;
  bytes: number;
  bytes_max: number;
  messages_max: number;
  drops: readonly Drop[];
};

/** `transit` is null while nothing is known of it. */
export type Forwarder = { source: Source; transit: Transit | null };

export type DropReason = Drop & { places: readonly string[] };

export function forwarders(facts: Readonly<Record<string, unknown>>, sources: readonly Source[]): Forwarder[] {
  return sources.map((source) => {
    const told = facts[source.instance] as Partial<Transit> | undefined;
    return { source, transit: told?.drops === undefined ? null : (told as Transit) };
  });
}

/** Whether it stands in the table: it forwards, has done so, or nobody knows. */
export function isOfInterest({ transit }: Forwarder): boolean {
  return transit === null || transit.is_enabled || transit.messages > 0 || transit.drops.length > 0;
}

/**
 * How much of what it may hold it holds, by bytes or by messages, whichever is closer to the limit; null without a
 * limit.
 */
export function fullness({ bytes, bytes_max: bytesMax, messages, messages_max: messagesMax }: Transit): number | null {
  return bytesMax === 0 ? null : Math.min(1, Math.max(bytes / bytesMax, messages / messagesMax));
}

/** Why messages were dropped, by all forwarders together, the reason of most first. */
export function dropReasons(all: readonly Forwarder[]): DropReason[] {
  const found = new Map<number, DropReason>();
  for (const { source, transit } of all) {
    for (const drop of transit?.drops ?? []) {
      const before = found.get(drop.number);
      const isLater = before === undefined || drop.last_at > before.last_at;
      found.set(drop.number, {
        number: drop.number,
        messages: (before?.messages ?? 0) + drop.messages,
        last_at: isLater ? drop.last_at : before.last_at,
        text: isLater ? drop.text : before.text,
        places: [...(before?.places ?? []), source.instance],
      });
    }
  }
  return [...found.values()].toSorted((one, other) => other.messages - one.messages || one.number - other.number);
}

export function isDropNumber(number: number): number is DropNumber {
  return dropNumbers.some((one) => one === number);
}
