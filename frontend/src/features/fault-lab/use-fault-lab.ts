import { useCallback, useMemo } from 'react';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter, useSetParameters } from '@/hooks/use-view-state';
import { formatFaults, readFaults, toggledFault, type Fault } from '@/topology/faults';
import { flowParameters, parseSender, type Flow } from '@/topology/what-if-address';

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
  /** Takes every fault back, and the instant: whatever was supposed. */
  reset: () => void;
  setAt: (at: string | null) => void;
  /** The flow that is looked at by itself; null for every flow of the estate. */
  flow: Flow | null;
  setFlow: (flow: Flow | null) => void;
};

/** What is supposed, which stands in the address bar. */
export function useFaultLab(): FaultLab {
  const { state: live, change_set: draft } = useEstatePage();
  const [text] = useParameter('faults');
  const [given] = useParameter('at');
  const flow = useFlow();
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
      set({ faults: null, at: null, page: null });
    },
    setAt: (instant) => {
      set({ at: instant, page: null }, 'run');
    },
    flow,
    setFlow: (chosen) => {
      set({ ...(chosen === null ? noFlow : flowParameters(chosen)), page: null, columns: null, kinds: null });
    },
  };
}

const noFlow = { from: null, to: null, id: null };

/** The flow that the address names, in the words of the what-if page. */
function useFlow(): Flow | null {
  const [from] = useParameter('from');
  const [to] = useParameter('to');
  const [id] = useParameter('id');
  return useMemo(() => {
    const sender = parseSender(from);
    return sender === null || to === null ? null : { ...sender, to_service: to, broker_instance: id };
  }, [from, to, id]);
}
