// Flows that a draft makes other ones, for tests.
import type { DraftFlow, DraftFlows } from '@/contracts/api';

export function draftFlow(more: Partial<DraftFlow> = {}): DraftFlow {
  return {
    key: '[PARIS] [Ventes] [Guichet] [Réception] -',
    question: {
      instance: 'PARIS',
      database: 'Ventes',
      service: '//exemple.fr/Ventes/Guichet',
      to_service: '//exemple.fr/Commandes/Réception',
      broker_instance: null,
    },
    change: 'lost',
    before: 'delivered',
    after: 'delayed',
    before_number: null,
    after_number: 9750,
    before_route: 'Vers la réception',
    after_route: null,
    is_intended: false,
    intended_by: null,
    is_observed: false,
    ...more,
  };
}

export function draftFlows(rows: DraftFlow[] = [], more: Partial<DraftFlows> = {}): DraftFlows {
  const count = (change: DraftFlow['change']) => rows.filter((row) => row.change === change).length;
  return {
    number: 3,
    sequence: 7,
    flows: 40,
    unchanged: 40 - rows.length,
    lost: count('lost'),
    moved: count('moved'),
    gained: count('gained'),
    unticked: rows.filter((row) => row.change === 'lost' && !row.is_intended).length,
    matching: rows.length,
    rows,
    page: 1,
    pages: 1,
    unread: [],
    ...more,
  };
}
