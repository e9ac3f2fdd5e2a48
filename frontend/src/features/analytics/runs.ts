// What is to be said of a run: how it stands, what it was computed from, how far it is.
import type { Run, RunEstimate } from '@/contracts/api';
import { i18n, numberText } from '@/i18n';
import { ageText } from '@/live/age';
import { absoluteTime } from '@/lib/time';
import type { Verdict } from '@/theme/tokens';

export const jobs = ['delivery', 'audit', 'paths', 'whatif'] as const;

/** `lost` is a run that failed since nobody heard of its worker any more. */
export type ShownState = Run['state'] | 'lost';

type InState = Pick<Run, 'state' | 'problem'>;

export function isUnderWay({ state }: Pick<Run, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'cancelling';
}

export function shownState({ state, problem }: InState): ShownState {
  return state === 'failed' && problem?.code === 'job-lost' ? 'lost' : state;
}

/** The sign beside the word; none while it only waits. */
export function verdictOfState(state: ShownState): Verdict | undefined {
  const signs: Record<ShownState, Verdict | undefined> = {
    queued: undefined,
    running: 'forwarded',
    cancelling: 'delayed',
    cancelled: 'unknown',
    failed: 'error',
    lost: 'lost',
    done: 'delivered',
  };
  return signs[state];
}

/** Whether the same question may be asked again, since there is no answer to it. */
export function isWorthAnother({ state }: Pick<Run, 'state'>): boolean {
  return state === 'failed' || state === 'cancelled';
}

/** Of a hundred; null while nobody knows. */
export function percentOf({ done, total }: Pick<Run, 'done' | 'total'>): number | null {
  return total > 0 ? Math.min(100, (100 * done) / total) : null;
}

/** What it is doing, in words; a stage that is the name of a table writes that table. */
export function stageText(told: string): string {
  if (told === '') {
    return i18n.t('analytics:stage.starting');
  }
  // A what-if says the step in front: `ingest/reading`.
  const stage = told.slice(told.indexOf('/') + 1);
  const known = i18n.t(`analytics:stage.${stage.replaceAll(' ', '-') as 'reading'}`, { defaultValue: '' });
  return known === '' ? i18n.t('analytics:stage.writing', { table: stage }) : known;
}

/** Seconds from its start to its end; null as long as one of them is not known. */
export function secondsOf({ started_at: from, ended_at: to }: Pick<Run, 'started_at' | 'ended_at'>): number | null {
  return from === null || to === null ? null : Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);
}

/** `2.1 M`, `950`: a count as it is said in a sentence. */
export function roundCount(count: number): string {
  return count < 10_000
    ? numberText(count)
    : count.toLocaleString(i18n.language, { notation: 'compact', maximumSignificantDigits: 3 });
}

/** The input of a run: events of the lake, or else the conversations it read. */
export function rowsIn({ rows_in: rows }: Pick<Run, 'rows_in'>): { name: string; rows: number } | null {
  return rows.find(({ name }) => name === 'events') ?? rows[0] ?? null;
}

/** `computed 26 Nov 2026, 09:14:00 UTC from 2.1 M events, revisions 118 and 121, engine 1.2.3`. */
export function lineageText(run: Run): string {
  const read = rowsIn(run);
  const unit = read?.name === 'events' ? 'events' : 'conversations';
  const [first, ...others] = run.revisions;
  const last = others.at(-1);
  return i18n.t('analytics:lineage', {
    at: run.ended_at === null ? '' : absoluteTime(Date.parse(run.ended_at)),
    unit: read === null ? 'none' : unit,
    rows: roundCount(read?.rows ?? 0),
    count: run.revisions.length,
    revisions:
      run.change_set !== null
        ? i18n.t('analytics:revisionAndDraft', { first: first ?? 0, draft: run.change_set })
        : i18n.t(last === undefined ? 'analytics:oneRevision' : 'analytics:twoRevisions', {
            first: first ?? 0,
            last: last ?? 0,
            between: run.job === 'whatif' ? 'and' : 'to',
          }),
    engine: run.engine_version ?? 'none',
  });
}

/** What a what-if compares: `revision 118 → 121`, `revision 118 → draft #3`. */
export function comparedText({ revisions, change_set: draft }: Pick<Run, 'revisions' | 'change_set'>): string {
  const first = revisions[0] ?? 0;
  return draft === null
    ? i18n.t('analytics:runs.compares', { first, last: revisions.at(-1) ?? 0 })
    : i18n.t('analytics:runs.comparesDraft', { first, draft });
}

/** Which events: `all events`, `from … to …`. */
export function rangeText({ since, until }: Pick<Run, 'since' | 'until'>): string {
  const kind = since === null ? (until === null ? 'all' : 'until') : until === null ? 'since' : 'both';
  return i18n.t(`analytics:range.${kind}`, {
    since: since === null ? '' : absoluteTime(Date.parse(since)),
    until: until === null ? '' : absoluteTime(Date.parse(until)),
  });
}

/** `about 40 s for 2.1 M events`, and by which run that is judged; without one, how much there is to read. */
export function estimateText({ events, seconds, judged_by: judge }: RunEstimate): string {
  if (events === 0) {
    return i18n.t('analytics:estimate.nothing');
  }
  const count = roundCount(events);
  return seconds === null || judge === null
    ? i18n.t('analytics:estimate.unknown', { count })
    : i18n.t('analytics:estimate.known', {
        time: wholeSeconds(seconds),
        count,
        events: numberText(judge.events),
        took: wholeSeconds(judge.seconds),
      });
}

function wholeSeconds(seconds: number): string {
  return ageText(Math.max(1, Math.round(seconds)));
}
