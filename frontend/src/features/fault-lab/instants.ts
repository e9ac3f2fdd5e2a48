// Routes that expire, by the instant at which they do.
import type { FlowChange, FutureEvent } from '@/contracts/api';
import { i18n } from '@/i18n';

export type Instant = { at: string; events: FutureEvent[] };

/** The instants in their order, each with all that happens at it. */
export function instantsOf(events: readonly FutureEvent[]): Instant[] {
  const instants = new Map<number, Instant>();
  for (const event of events) {
    const when = Date.parse(event.at);
    const instant = instants.get(when) ?? { at: event.at, events: [] };
    instant.events.push(event);
    instants.set(when, instant);
  }
  return [...instants].sort(([one], [other]) => one - other).map(([, instant]) => instant);
}

const told: readonly FlowChange[] = ['lost', 'moved', 'gained'];

/** `Route r_billing of PARIS · Ventes expires: 3 flows become undeliverable, 1 flow goes another way.` */
export function expirySentence({ route: { instance, database, route }, changes }: FutureEvent): string {
  const parts = told.flatMap((change) => {
    const count = changes.filter((row) => row.change === change).length;
    return count === 0 ? [] : [i18n.t(`faults:future.change.${change as 'lost' | 'moved' | 'gained'}`, { count })];
  });
  return i18n.t('faults:future.expires', {
    route,
    place: `${instance} · ${database}`,
    what: parts.length === 0 ? i18n.t('faults:future.change.none') : parts.join(', '),
  });
}
