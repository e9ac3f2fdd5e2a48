// The few numbers that stand beside the health ladder: of instances that answer now, and never without saying who does
// not.
import type { Source } from '../grid/sources';
import type { DatabaseSummary, InstanceSummary } from '../summary';

/** How long the oldest message of a database has waited: under a minute, ten minutes, an hour, or longer. */
export const ageBands = ['minute', 'minutes', 'hour', 'longer'] as const;
export type AgeBand = (typeof ageBands)[number];

const bandSeconds: Readonly<Record<Exclude<AgeBand, 'longer'>, number>> = { minute: 60, minutes: 600, hour: 3600 };

export function ageBand(seconds: number): AgeBand {
  return ageBands.find((band) => band === 'longer' || seconds < bandSeconds[band]) ?? 'longer';
}

export type Figures = {
  /** Messages in transmission queues. */
  undelivered: number;
  /** The same by how long the oldest of their database has waited. */
  byAge: Readonly<Record<AgeBand, number>>;
  disabledQueues: number;
  poisonedQueues: number;
  overdue: number;
  leaked: number;
  mirrors: number;
  /** Of these, those whose principal is not known, or of which both sides claim to be it. */
  mirrorsLost: number;
};

/** The figures of the instances that answer, null when none does; and who does not. */
export function figuresOf(
  summaries: readonly InstanceSummary[],
  sources: readonly Source[],
  now: number,
): { figures: Figures | null; unknown: readonly Source[] } {
  const isKnown = new Set(sources.filter(({ state }) => state === 'known').map(({ instance }) => instance));
  const current = summaries.filter(({ name }) => isKnown.has(name));
  const told = new Set(current.map(({ name }) => name));
  const unknown = sources.filter(({ instance, state }) => state !== 'missing' && !told.has(instance));
  return { figures: current.length === 0 ? null : sumsOf(current, now), unknown };
}

function sumsOf(summaries: readonly InstanceSummary[], now: number): Figures {
  const databases = summaries.flatMap((summary) => summary.databases);
  const mirrors = summaries.flatMap((summary) => summary.mirrors);
  const sum = (read: (database: DatabaseSummary) => number) =>
    databases.reduce((all, database) => all + read(database), 0);
  const inBand = (band: AgeBand) =>
    sum(({ transmission, oldest }) => (oldest !== null && ageBand(now - oldest) === band ? transmission : 0));
  return {
    undelivered: sum(({ transmission }) => transmission),
    byAge: { minute: inBand('minute'), minutes: inBand('minutes'), hour: inBand('hour'), longer: inBand('longer') },
    disabledQueues: sum(({ disabled_queues: disabled }) => disabled.length),
    poisonedQueues: sum(({ poisoned_queues: poisoned }) => poisoned.length),
    overdue: sum(({ conversations }) => conversations.closed.overdue ?? 0),
    leaked: sum(({ conversations }) => conversations.closed.leaked ?? 0),
    mirrors: mirrors.length,
    mirrorsLost: mirrors.filter(
      ({ state, are_both_principal: both }) => both || state === 'SEARCHING' || state === 'UNKNOWN',
    ).length,
  };
}
