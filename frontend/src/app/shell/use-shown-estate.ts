import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import type { Estate } from '@/contracts/api';
import { topologyQuery } from '@/lib/api/topology-read';
import { withProgress } from '@/lib/live-progress';
import { changedRoles, withRoles } from '@/lib/live-roles';
import { useLiveStore } from '@/lib/live-store';
import { usePendingStore } from '@/lib/pending-store';
import { applyChanges } from '@/topology/apply-changes';

/** An estate as the page shows it, live or as a draft has it; null as long as it is not known, and for no estate. */
export function useShownEstate(name: string | null, draft: number | null): Estate | null {
  const { data } = useQuery({ ...topologyQuery(name ?? '', draft), enabled: name !== null });
  return useWithRoles(useWithPending(useWithProgress(data)));
}

/**
 * The estate with its instances as far as they have come: a revision that goes out to them is no change of what is
 * wanted.
 */
function useWithProgress(estate: Estate | undefined): Estate | undefined {
  const told = useLiveStore(({ live }) => (live.estate === estate?.name ? live.progress : null));
  return useMemo(() => estate && withProgress(estate, told), [estate, told]);
}

/** The estate with the edits that are on their way laid over it. */
function useWithPending(estate: Estate | undefined): Estate | null {
  const pending = usePendingStore((store) => (estate === undefined ? undefined : store.pending[estate.name]));
  return useMemo(
    () =>
      estate === undefined
        ? null
        : applyChanges(
            estate,
            (pending ?? []).map(({ change }) => change),
          ),
    [estate, pending],
  );
}

/** Mirrored databases in the roles that they have now: a failover is no change of the topology. */
function useWithRoles(estate: Estate | null): Estate | null {
  const roles = useLiveStore((store) => (estate === null ? '' : changedRoles(estate, store.live.instances)));
  return useMemo(() => (estate === null ? null : withRoles(estate, roles)), [estate, roles]);
}
