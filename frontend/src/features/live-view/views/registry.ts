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

/** Each is fetched when it is opened. */
export const views = {
  conversations: lazy(() => import('./conversations/conversations')),
  'transmission-queues': lazy(() => import('./transmissions/transmissions')),
  forwarded: lazy(() => import('./forwarded/forwarded')),
  mirrors: lazy(() => import('./mirrors/mirrors')),
  queues: lazy(() => import('./queues/queues')),
  connections: lazy(() => import('./connections/connections')),
  counters: lazy(() => import('./counters/counters')),
  trace: lazy(() => import('./trace/trace')),
} as const;

/** Views whose names are terms of the glossary. */
export const viewTerms: Partial<Record<ViewName, TermName>> = {
  conversations: 'conversation',
  'transmission-queues': 'transmissionQueue',
  forwarded: 'forwarding',
  mirrors: 'mirroring',
  queues: 'activation',
};
