import { lazy } from 'react';

import type { TermName } from '@/i18n/terms';

/** The live views in the order of their bar, as the address names them. */
export const viewNames = ['conversations', 'transmission-queues', 'forwarded', 'mirrors', 'queues', 'connections', 'counters', 'trace'] as const;

export type ViewName = (typeof viewNames)[number];

/** Each is fetched when it is opened. */
export const views = {
  conversations: lazy(() => import('./conversations/conversations')),
  'transmission-queues': lazy(() => import('./transmissions/transmissions')),
  forwarded: lazy(() => import('./forwarded')),
  mirrors: lazy(() => import('./mirrors')),
  queues: lazy(() => import('./queues')),
  connections: lazy(() => import('./connections')),
  counters: lazy(() => import('./counters')),
  trace: lazy(() => import('./trace')),
} as const;

/** Views whose names are terms of the glossary. */
export const viewTerms: Partial<Record<ViewName, TermName>> = {
  conversations: 'conversation',
  'transmission-queues': 'transmissionQueue',
  forwarded: 'forwarding',
  mirrors: 'mirroring',
  queues: 'activation',
};
