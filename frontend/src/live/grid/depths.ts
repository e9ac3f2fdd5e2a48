// How deep transmission queues were in the last minutes, and when a message last left one for having arrived.
import type { InstanceFacts } from '@/contracts/live-messages';

import { highest, type History } from './history';
import type { Source } from './sources';
import { placeName, type TransmissionGroup } from './transmission-groups';

type Facts = Readonly<Record<string, unknown>>;

/** Beside its rows, of a transmission topic. Seconds since 1970. */
export type TransmissionFacts = InstanceFacts & {
  groups?: readonly TransmissionGroup[];
  /** The databases from which a message has left for having arrived, since the instance was started. */
  left?: readonly { database: string; at: number }[];
  started_at?: number | null;
};

/**
 * Messages that wait now: of each instance that tells, under its name, and of each of its databases in which any do.
 * A database that is not there has none, where its instance is.
 */
export function depthsNow(facts: Facts): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [instance, told] of Object.entries(facts)) {
    const { unavailable, refused, missing, groups } = told as TransmissionFacts;
    if (unavailable === undefined && refused === undefined && missing !== true && groups !== undefined) {
      found.set(instance, 0);
      for (const { database, messages } of groups) {
        for (const name of [instance, placeName(instance, database)]) {
          found.set(name, (found.get(name) ?? 0) + messages);
        }
      }
    }
  }
  return found;
}

export type DepthLine = { name: string; figures: readonly (number | null)[] };

/**
 * A line for each instance in which something has waited; of one that is chosen each of its databases, or the one that
 * is chosen. `more` are those that are not drawn.
 */
export function depthLines(
  history: History,
  instance: string | null,
  database: string | null,
): { lines: readonly DepthLine[]; more: number } {
  const isWanted = (name: string) =>
    instance === null
      ? !name.includes(' · ')
      : database === null
        ? name.startsWith(placeName(instance, ''))
        : name === placeName(instance, database);
  const all = [...history.values]
    .filter(([name, figures]) => isWanted(name) && figures.some((figure) => (figure ?? 0) > 0))
    .map(([name, figures]): DepthLine => {
      const whole = instance === null ? [] : (history.values.get(instance) ?? []);
      return {
        name: instance === null ? name : name.slice(placeName(instance, '').length),
        figures: figures.map((figure, place) => figure ?? ((whole[place] ?? null) === null ? null : 0)),
      };
    })
    .toSorted((one, other) => one.name.localeCompare(other.name));
  const lines = highest(all);
  return { lines, more: all.length - lines.length };
}

export type LastLeft = {
  /** The last message of all that are known of; null where none is. */
  last: { at: number; instance: string; database: string } | null;
  /** Since when the instance that knows least knows; null where nobody says. */
  since: number | null;
  /** Instances that tell now, */
  known: readonly string[];
  /** and those that do not. */
  silent: readonly string[];
};

/** What is known of the last message that has left a transmission queue, here or, without a database, in any. */
export function lastLeft(facts: Facts, sources: readonly Source[], database: string | null): LastLeft {
  const known = sources.filter(({ state }) => state === 'known');
  const told = known.map(({ instance }) => ({ instance, ...(facts[instance] as TransmissionFacts | undefined) }));
  const all = told.flatMap(({ instance, left = [] }) =>
    left.filter((one) => database === null || one.database === database).map((one) => ({ ...one, instance })),
  );
  const starts = told.flatMap(({ started_at: at }) => (typeof at === 'number' ? [at] : []));
  return {
    last: all.toSorted((one, other) => other.at - one.at)[0] ?? null,
    since: starts.length === 0 ? null : Math.max(...starts),
    known: known.map(({ instance }) => instance),
    silent: sources.filter(({ state }) => state !== 'known').map(({ instance }) => instance),
  };
}
