// Edits that were asked for and are not in the topology that is shown, per estate. They are drawn at once and marked.
import { create } from 'zustand';

import type { PendingChange } from '@/topology/apply-changes';
import type { TopologyChange } from '@/topology/changes';

type PendingStore = { pending: Readonly<Record<string, readonly PendingChange[]>> };

export const usePendingStore = create<PendingStore>(() => ({ pending: {} }));

function update(estate: string, change: (pending: readonly PendingChange[]) => readonly PendingChange[]): void {
  usePendingStore.setState(({ pending }) => ({ pending: { ...pending, [estate]: change(pending[estate] ?? []) } }));
}

export function addPending(estate: string, id: string, change: TopologyChange): void {
  update(estate, (pending) => [...pending, { id, change }]);
}

export function dropPending(estate: string, id: string): void {
  update(estate, (pending) => pending.filter((one) => one.id !== id));
}

/** The topology was read anew, and has all that the server has. */
export function settlePending(estate: string): void {
  if ((usePendingStore.getState().pending[estate] ?? []).length > 0) {
    update(estate, () => []);
  }
}
