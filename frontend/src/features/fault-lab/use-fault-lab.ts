import { useCallback, useMemo } from 'react';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter, useSetParameters } from '@/hooks/use-view-state';
import { formatFaults, readFaults, toggledFault, type Fault } from '@/topology/faults';

/** Of what the lab asks. */
export type Asked = {
  /** The state of the estate or of the draft: another one has other answers. */
  state: string;
  draft: number | null;
  /** An instant as ISO 8601; null is now. */
  at: string | null;
  faults: readonly Fault[];
};

/** As the server takes it. */
export function basisOf({ draft, at, faults }: Omit<Asked, 'state'>) {
  return { ...(draft === null ? {} : { change_set: draft }), ...(at === null ? {} : { at }), faults: [...faults] };
}

export type FaultLab = Asked & {
  /** Parts of the address that are no fault. */
  unreadable: readonly string[];
  setFaults: (faults: readonly Fault[]) => void;
  toggle: (fault: Fault) => void;
  /** Takes every fault back. */
  reset: () => void;
  setAt: (at: string | null) => void;
};

/** What is supposed, which stands in the address bar. */
export function useFaultLab(): FaultLab {
  const { state: live, change_set: draft } = useEstatePage();
  const [text] = useParameter('faults');
  const [given] = useParameter('at');
  const set = useSetParameters();
  const { faults, unreadable } = useMemo(() => readFaults(text), [text]);
  const at = given !== null && !Number.isNaN(Date.parse(given)) ? given : null;
  const setFaults = useCallback(
    (chosen: readonly Fault[]) => {
      set({ faults: formatFaults(chosen), page: null });
    },
    [set],
  );
  return {
    state: draft === null ? live : `${live} ${draft.number}-${draft.sequence}`,
    draft: draft?.number ?? null,
    at,
    faults,
    unreadable,
    setFaults,
    toggle: (fault) => {
      setFaults(toggledFault(faults, fault));
    },
    reset: () => {
      setFaults([]);
    },
    setAt: (instant) => {
      set({ at: instant, page: null });
    },
  };
}
