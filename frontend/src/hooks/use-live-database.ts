import type { DatabaseView } from '@/live/instance-view';
import { useLiveStore } from '@/lib/live-store';
import type { DatabasePath } from '@/topology/selection';

/** What a database is doing now; undefined while its instance has not answered. */
export function useLiveDatabase(path: DatabasePath): DatabaseView | undefined {
  return useLiveStore((store) =>
    store.live.instances[path.instance]?.view?.databases.find((one) => one.name === path.database),
  );
}
