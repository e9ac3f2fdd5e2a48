// How many conversations change where, over the drawing: told by the page of a run, read by the drawing. It stays until
// somebody takes it off.
import { create } from 'zustand';

import type { ShownHeat } from '@/topology/heat';

export const useHeatStore = create<{ heat: ShownHeat | null }>(() => ({ heat: null }));

export function showHeat(heat: ShownHeat | null): void {
  useHeatStore.setState({ heat });
}
