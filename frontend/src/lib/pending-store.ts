// Edits that were asked for and are not applied yet, per estate. They are drawn at once and marked as on their way.
import { create } from 'zustand';

import type { Estate } from '@/contracts/api';
import { stillPending, type PendingChange } from '@/topology/apply-changes';
import type { TopologyChange } from '@/topology/changes';

type PendingStore = { pending: Readonly<Record<string, readonly PendingChange[]>> };

export const usePendingStore = create<PendingStore>(() => ({ pending: {} }));

function update(estate: string, change: (pending: readonly PendingChange[]) => readonly PendingChange[]): void {
  usePendingStore.setState(({ pending }) => ({ pending: { ...pending, [estate]: change(pending[estate] ?? []) } }));
}

export function addPending(estate: string, id: string, change: TopologyChange): void {
  update(estate, (pending) => [...pending, { id, change, revision: null }]);
}

/** The server has taken the edit: `revision` carries it. */
export function confirmPending(estate: string, id: string, revision: number): void {
  update(estate, (pending) => pending.map((one) => (one.id === id ? { ...one, revision } : one)));
}

export function dropPending(estate: string, id: string): void {
  update(estate, (pending) => pending.filter((one) => one.id !== id));
}

/** Forgets what the instances have applied by now. */
export function settlePending(estate: Estate): void {
  const pending = usePendingStore.getState().pending[estate.name] ?? [];
  const left = stillPending(estate, pending);
  if (left.length < pending.length) {
    update(estate.name, () => left);
  }
}
