import { createContext, useContext } from 'react';

/** The run whose sandbox is on view, and whether it is one's own; a trainer looks into those of others. */
export type SandboxRoom = {
  run: string;
  /** Under which name its screens show it; null once the run has ended. */
  estate: string | null;
  isOwn: boolean;
};

export const SandboxContext = createContext<SandboxRoom | null>(null);

/** Null on the pages of an estate. */
export function useSandbox(): SandboxRoom | null {
  return useContext(SandboxContext);
}
