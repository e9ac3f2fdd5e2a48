import { createContext, useContext } from 'react';

import { useNow } from './use-now';

/** The run whose sandbox is on view, and whether it is one's own; a trainer looks into those of others. */
export type SandboxRoom = {
  run: string;
  /** Under which name its screens show it; null once the run has ended. */
  estate: string | null;
  isOwn: boolean;
  /** An examination tells nothing that it asks for; so is it taken as long as the way it is played is not known. */
  isExam: boolean;
};

export const SandboxContext = createContext<SandboxRoom | null>(null);

/** Null on the pages of an estate. */
export function useSandbox(): SandboxRoom | null {
  return useContext(SandboxContext);
}

/** What the machines of the sandbox show, as the bar of its run tells it: milliseconds since 1970, null without one. */
export const SandboxTimeContext = createContext<number | null>(null);

/** Now for the objects on view: by the clock of the sandbox that is open, else by this browser's. */
export function useShownNow(): number {
  const browser = useNow();
  return useContext(SandboxTimeContext) ?? browser;
}
