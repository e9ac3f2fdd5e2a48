// The health ladder: one verdict a check, in order, from what every instance says at a glance and from what is known of
// whom. Nothing is called good that is not known to be so now.
import type { Source } from '../grid/sources';
import type { InstanceSummary } from '../summary';
import { rungNames, rungs, type Circumstances, type RungName, type Trouble } from './rungs';

export type RungVerdict = 'ok' | 'warning' | 'bad' | 'unknown' | 'not-allowed';

/** What was so when an instance was heard of last; `since` is null where it is so now. */
export type PlacedTrouble = Trouble & { since: number | null };

export type JudgedRung = {
  name: RungName;
  verdict: RungVerdict;
  /** How many troubles there are now, as the rung counts them. */
  count: number;
  /** How many things were looked at in instances that answer. */
  looked: number;
  /** The gravest first; those of instances that do not answer behind those that are so now. */
  troubles: readonly PlacedTrouble[];
  /** Instances of which nothing is known now. */
  unknown: readonly Source[];
  /** Whether a rung above is unknown, and this one would be good: its own checks are, and yet it is not. */
  isBelowUnknown: boolean;
};

export type Ladder = {
  rungs: readonly JudgedRung[];
  /** The first rung that is not good: whatever stands below may come of it. Null when all are. */
  begin: RungName | null;
};

/** `summaries` may be older than now; `sources` says of whom, and whom nobody may tell about. */
export function ladder(
  summaries: readonly InstanceSummary[],
  sources: readonly Source[],
  around: Circumstances,
): Ladder {
  const known = new Map(summaries.map((summary) => [summary.name, summary]));
  const there = sources.filter(({ state }) => state !== 'missing');
  let isBelowUnknown = false;
  const judged = rungNames.map((name) => {
    const rung = judge(name, known, there, around);
    const below = isBelowUnknown && rung.verdict === 'ok';
    isBelowUnknown ||= rung.verdict === 'unknown' || rung.verdict === 'not-allowed';
    return below ? { ...rung, verdict: 'unknown' as const, isBelowUnknown: true } : rung;
  });
  return { rungs: judged, begin: judged.find(({ verdict }) => verdict !== 'ok')?.name ?? null };
}

function judge(
  name: RungName,
  known: ReadonlyMap<string, InstanceSummary>,
  sources: readonly Source[],
  around: Circumstances,
): JudgedRung {
  const { looked, troubles } = rungs[name];
  const found: PlacedTrouble[] = [];
  const unknown: Source[] = [];
  let seen = 0;
  for (const source of sources) {
    const summary = known.get(source.instance);
    // A row that is not there is not known, whatever the facts say.
    const isNow = source.state === 'known' && summary !== undefined;
    if (!isNow) {
      unknown.push(source);
    }
    if (summary !== undefined && (isNow || source.since !== null)) {
      found.push(...troubles(summary, around).map((trouble) => ({ ...trouble, since: isNow ? null : source.since })));
      seen += isNow ? looked(summary) : 0;
    }
  }
  const current = found.filter(({ since }) => since === null);
  return {
    name,
    verdict: verdictOf(current, unknown, sources.length === 0),
    count: current.reduce((sum, { count }) => sum + count, 0),
    looked: seen,
    troubles: found.toSorted((one, other) => weight(one) - weight(other) || other.count - one.count),
    unknown,
    isBelowUnknown: false,
  };
}

function verdictOf(current: readonly Trouble[], unknown: readonly Source[], isEmpty: boolean): RungVerdict {
  if (current.some(({ grade }) => grade === 'bad')) {
    return 'bad';
  }
  if (current.length > 0) {
    return 'warning';
  }
  if (unknown.length > 0) {
    return unknown.every(({ state }) => state === 'not-allowed') ? 'not-allowed' : 'unknown';
  }
  return isEmpty ? 'unknown' : 'ok';
}

function weight({ grade, since }: PlacedTrouble): number {
  return (since === null ? 0 : 2) + (grade === 'bad' ? 0 : 1);
}
