import { lazy } from 'react';

import type { TermName } from '@/i18n/terms';

/** The live views in the order of their bar, as the address names them. */
export const viewNames = [
  'conversations',
  'transmission-queues',
  'forwarded',
  'mirrors',
  'queues',
  'connections',
  'counters',
  'trace',
] as const;

export type ViewName = (typeof viewNames)[number];

const loads = {
  conversations: () => import('./conversations/conversations'),
  'transmission-queues': () => import('./transmissions/transmissions'),
  forwarded: () => import('./forwarded/forwarded'),
  mirrors: () => import('./mirrors/mirrors'),
  queues: () => import('./queues/queues'),
  connections: () => import('./connections/connections'),
  counters: () => import('./counters/counters'),
  trace: () => import('./trace/trace'),
} as const;

/** Each is fetched when it is opened, or when there was time before. */
export const views = {
  conversations: lazy(loads.conversations),
  'transmission-queues': lazy(loads['transmission-queues']),
  forwarded: lazy(loads.forwarded),
  mirrors: lazy(loads.mirrors),
  queues: lazy(loads.queues),
  connections: lazy(loads.connections),
  counters: lazy(loads.counters),
  trace: lazy(loads.trace),
} as const;

/** Fetches all of them: who looks while the server is away opens a view for the first time as any other. */
export function fetchViews(): void {
  for (const load of Object.values(loads)) {
    // What does not come now is fetched, and told, when it is opened.
    load().catch(() => undefined);
  }
}

/** Views whose names are terms of the glossary. */
export const viewTerms: Partial<Record<ViewName, TermName>> = {
  conversations: 'conversation',
  'transmission-queues': 'transmissionQueue',
  forwarded: 'forwarding',
  mirrors: 'mirroring',
  queues: 'activation',
};
