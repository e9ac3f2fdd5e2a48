import { useMemo } from 'react';
import { create } from 'zustand';

import type { Estate } from '@/contracts/api';
import { foldAll, isFolded, opensFolded, turn, type Folding } from '@/topology/folding';

/** What was folded by hand, per estate; kept while the page is open, so that another page and back changes nothing. */
const useFoldings = create<{ foldings: Readonly<Record<string, Folding>> }>(() => ({ foldings: {} }));

function change(estate: Estate, next: (folding: Folding) => Folding): void {
  useFoldings.setState(({ foldings }) => {
    const folding = foldings[estate.name] ?? foldAll(opensFolded(estate));
    return { foldings: { ...foldings, [estate.name]: next(folding) } };
  });
}

/** Folds an instance, or unfolds it. */
export function turnInstance(estate: Estate, instance: string): void {
  change(estate, (folding) => turn(folding, instance));
}

export function foldEvery(estate: Estate, isAllFolded: boolean): void {
  change(estate, () => foldAll(isAllFolded));
}

/** Which instances of an estate are folded. */
export function useFolding(estate: Estate): { isFolded: (instance: string) => boolean; isAnyFolded: boolean } {
  const kept = useFoldings(({ foldings }) => foldings[estate.name]);
  return useMemo(() => {
    const folding = kept ?? foldAll(opensFolded(estate));
    return {
      isFolded: (instance) => isFolded(folding, instance),
      isAnyFolded: estate.instances.some(({ name }) => isFolded(folding, name)),
    };
  }, [estate, kept]);
}
