// What is known of each instance that a table has rows of. Nothing there, not known, not connected and not allowed are
// four things.
import type { InstanceFacts } from '@/contracts/live-messages';

import type { TopicState } from '../streams';

/**
 * `known`: rows are as of now. `waiting`: the first answer is on its way. `unknown`: it has never answered.
 * `not-connected`: it does not answer now, rows are those of `since`. `offline`: this browser is cut off, rows are
 * those of `since`. `not-allowed`: this person may not see it. `refused`: it does not serve what is asked. `missing`:
 * the estate has no such instance.
 */
export type SourceState =
  'known' | 'waiting' | 'unknown' | 'not-connected' | 'offline' | 'not-allowed' | 'refused' | 'missing';

export type Source = {
  instance: string;
  state: SourceState;
  /** In the server's words; empty when there is nothing to say. */
  reason: string;
  /** The number of a refusal. */
  number: number | null;
  /**
   * Milliseconds since 1970 by this browser's clock when its rows were so; null while they are so now, and when there
   * are none.
   */
  since: number | null;
};

/** Nobody is logged in any more, the role may not view, the page is another site's. */
const notAllowedCodes: ReadonlySet<number> = new Set([4401, 4403, 4410]);

export function sourcesOf(
  topic: TopicState | undefined,
  instances: readonly string[],
  clockAheadMilliseconds: number,
): Source[] {
  return instances.map((instance) => ({
    instance,
    reason: '',
    number: null,
    since: null,
    ...stateOf(topic, instance, clockAheadMilliseconds),
  }));
}

function stateOf(
  topic: TopicState | undefined,
  instance: string,
  ahead: number,
): Partial<Source> & Pick<Source, 'state'> {
  if (topic?.denied) {
    const { code, detail } = topic.denied;
    const since = topic.seq === 0 ? null : topic.seenAt;
    return { state: notAllowedCodes.has(code) ? 'not-allowed' : 'refused', number: code, reason: detail, since };
  }
  if (topic === undefined || topic.seq === 0) {
    return { state: 'waiting' };
  }
  const facts = (topic.table.facts[instance] ?? {}) as InstanceFacts;
  if (facts.missing === true) {
    return { state: 'missing' };
  }
  if (facts.refused !== undefined) {
    return { state: 'refused', number: facts.refused.number, reason: facts.refused.detail };
  }
  if (facts.unavailable !== undefined) {
    const { reason, since } = facts.unavailable;
    return since === null
      ? { state: 'unknown', reason }
      : { state: 'not-connected', reason, since: since * 1000 - ahead };
  }
  return topic.isCurrent ? { state: 'known' } : { state: 'offline', since: topic.seenAt };
}

/** What keeps all instances from telling at once, and so is said once: this browser is cut off, or the page refused. */
export function commonTrouble(sources: readonly Source[]): Source | null {
  const [first] = sources;
  const isOfThePage = first?.state === 'offline' || first?.state === 'not-allowed' || first?.state === 'refused';
  return first !== undefined &&
    isOfThePage &&
    sources.length > 1 &&
    sources.every(
      ({ state, reason, number }) => state === first.state && reason === first.reason && number === first.number,
    )
    ? first
    : null;
}

export type Total = {
  /** Null where counting them would take a look at each, and where nobody has ever told. */
  count: number | null;
  /** Of these nothing is known, so that there may be more. */
  unknown: readonly string[];
};

/** How many rows there are by the engine's own sums, whatever of them is shown. */
export function totalOf(topic: TopicState | undefined, sources: readonly Source[]): Total {
  const told = sources.filter(({ state }) => state === 'known' || state === 'not-connected' || state === 'offline');
  const counts = told.map(({ instance }) => (topic?.table.facts[instance] as InstanceFacts | undefined)?.total ?? null);
  return {
    count:
      counts.length === 0 || counts.includes(null)
        ? null
        : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    unknown: sources
      .filter(({ state }) => ['unknown', 'waiting', 'not-allowed', 'refused'].includes(state))
      .map(({ instance }) => instance),
  };
}
