import { useHiddenLayers } from '@/hooks/use-layers';
import { useLiveStore, type LiveStore } from '@/lib/live-store';
import { instancesNow } from '@/live/instances-clock';
import { ageBand, type AgeBand } from '@/live/ladder/figures';

/**
 * How long the oldest message of an instance, or of one database, has waited; undefined when none waits, or nothing is
 * told yet.
 */
export type BacklogAge = AgeBand | 'unknown' | undefined;

/**
 * The same for a box of the drawing, which is drawn anew only when it changes; undefined while the overlay is hidden.
 */
export function useBacklogAge(instance: string, database?: string): BacklogAge {
  const isHidden = useHiddenLayers().has('live');
  return useLiveStore((store) => (isHidden ? undefined : backlogAge(store, instance, database)));
}

export function backlogAge(
  { live, clockAheadMilliseconds }: Pick<LiveStore, 'live' | 'clockAheadMilliseconds'>,
  instance: string,
  database?: string,
): BacklogAge {
  const known = live.instances[instance];
  if (known === undefined) {
    return undefined;
  }
  if (known.view === null || known.unavailable !== null || !known.isCurrent) {
    return 'unknown';
  }
  const oldest = known.view.databases.flatMap((one) =>
    (database === undefined || one.name === database) && one.oldest !== null ? [one.oldest] : [],
  );
  const now = instancesNow(Date.now() + clockAheadMilliseconds, live.progress?.clock);
  return oldest.length === 0 ? undefined : ageBand(now / 1000 - Math.min(...oldest));
}
