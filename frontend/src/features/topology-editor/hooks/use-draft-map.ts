import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import type { Estate } from '@/contracts/api';
import { topologyQuery } from '@/lib/api/topology-read';
import { usePendingStore } from '@/lib/pending-store';
import { routeNames } from '@/topology/changes';
import { withRemovedRoutes, type DraftMarks } from '@/topology/draft-map';
import { draftId } from '@/topology/draft-marks';
import { buildGraph, ids, type Graph } from '@/topology/graph';

/**
 * What the map draws: the estate as a draft has it, with the routes that it deletes, and the graph of what runs, on whose
 * layout it is drawn; null without a draft, and where what runs cannot be read.
 */
export type DraftMap = { graph: Graph; live: Graph | null; draft: DraftMarks };

/** Null as long as what runs is not known. */
export function useDraftMap(estate: Estate, isFolded: (instance: string) => boolean): DraftMap | null {
  const pending = usePendingStore((store) => store.pending[estate.name]);
  const isDraft = estate.change_set !== null || (pending ?? []).length > 0;
  const { data, isPlaceholderData, isError } = useQuery({
    ...topologyQuery(estate.name),
    enabled: isDraft,
    // The page has read what runs before the first edit; news of it arrive over the live connection.
    staleTime: Infinity,
  });
  const live = isDraft && !isPlaceholderData ? (data ?? null) : null;
  const map = useMemo(() => {
    const whole = live === null ? { estate, removed: [] } : withRemovedRoutes(estate, live);
    return {
      graph: buildGraph(whole.estate, isFolded),
      live: live === null ? null : buildGraph(live, isFolded),
      draft: new Map([
        ...(pending ?? []).map(
          ({ change }) => [ids.route(change.scope, routeNames(change).after ?? ''), 'changed'] as const,
        ),
        ...estate.draft_objects.map((object) => [draftId(object), 'changed'] as const),
        ...whole.removed.map((id) => [id, 'removed'] as const),
      ]),
    };
  }, [estate, live, pending, isFolded]);
  return isDraft && live === null && !isError ? null : map;
}
