import { useMemo } from 'react';
import { create } from 'zustand';

import { allBoxes, allRoutes } from '@/topology/marking';

import { useEstatePage } from './use-estate-page';

export type MarkAction = 'lifetime' | 'address' | 'delete';
type Store = { estate: string; routes: ReadonlySet<string>; boxes: ReadonlySet<string>; action: MarkAction | null };

const none: ReadonlySet<string> = new Set();
const useStore = create<Store>(() => ({ estate: '', routes: none, boxes: none, action: null }));

export type Marked = {
  /** As selections in text; only those that the estate on view has. */
  routes: ReadonlySet<string>;
  /** Instances and databases, as selections in text; only those that the estate on view has. */
  boxes: ReadonlySet<string>;
  set: (routes: Iterable<string>, boxes: Iterable<string>) => void;
  clear: () => void;
  /** What is asked to be done with them, in the dialog that is open. */
  action: MarkAction | null;
  ask: (action: MarkAction | null) => void;
};

/**
 * The routes and boxes that are selected together, in the drawing and in the outline alike. They may be hundreds, so
 * they are kept in the page and not in the address bar.
 */
export function useMarked(): Marked {
  const estate = useEstatePage();
  const { estate: of, routes, boxes, action } = useStore();
  const kept = of === estate.name && routes.size > 0 ? routes : none;
  const keptBoxes = of === estate.name && boxes.size > 0 ? boxes : none;
  const present = useMemo(() => {
    if (kept.size === 0) {
      return none;
    }
    const known = allRoutes(estate);
    return [...kept].every((one) => known.has(one)) ? kept : new Set([...kept].filter((one) => known.has(one)));
  }, [kept, estate]);
  const presentBoxes = useMemo(
    () => (keptBoxes.size === 0 ? none : new Set(allBoxes(estate).filter((one) => keptBoxes.has(one)))),
    [keptBoxes, estate],
  );
  return useMemo(
    () => ({
      routes: present,
      boxes: presentBoxes,
      set: (some, within) => {
        useStore.setState({ estate: estate.name, routes: new Set(some), boxes: new Set(within) });
      },
      clear: () => {
        useStore.setState({ estate: estate.name, routes: none, boxes: none });
      },
      action,
      ask: (asked) => {
        useStore.setState({ action: asked });
      },
    }),
    [present, presentBoxes, action, estate.name],
  );
}
