// What the live overlay of the canvas shows, sampled once a second by whoever draws it and read by selectors.
import { create } from 'zustand';

import type { Flow } from '@/live/flows';

export type FlowStore = {
  /** From an instance to where a line ends, by `flowKey`; null while the overlay is hidden. */
  flows: ReadonlyMap<string, Flow> | null;
  /** Instances of which nothing is known now. */
  unknown: ReadonlySet<string>;
  /** The largest rate there is, in messages a second; null while nobody says how it is now. */
  largest: number | null;
};

export const noFlows: FlowStore = { flows: null, unknown: new Set(), largest: null };

export const useFlowStore = create<FlowStore>(() => noFlows);
