// Stands in for zustand: its stores, each of which is at its first state again after every test. The files of one worker
// share their modules, and so they would share what a test has left in a store.
import { create as createStore, type UseBoundStore } from 'zustand/react';
import type { StateCreator, StoreApi } from 'zustand/vanilla';

export * from 'zustand/vanilla';
export { useStore } from 'zustand/react';

const resets = new Set<() => void>();

/** Puts every store back to its first state. */
export function resetStores(): void {
  for (const reset of resets) {
    reset();
  }
}

function createKept<State>(initial: StateCreator<State>): UseBoundStore<StoreApi<State>> {
  const store = createStore(initial);
  resets.add(() => {
    store.setState(store.getInitialState(), true);
  });
  return store;
}

export const create = (<State>(initial?: StateCreator<State>) =>
  initial === undefined ? createKept<State> : createKept(initial)) as typeof createStore;
