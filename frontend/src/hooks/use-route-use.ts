import { useLiveStore } from '@/lib/live-store';
import { keyOf } from '@/live/streams';
import { summariesOf, type RouteUse } from '@/live/summary';
import type { DatabasePath } from '@/topology/selection';

/** What takes a route now: null is nothing, undefined where the instance does not answer. */
export function useRouteUse(estate: string, path: DatabasePath, route: string): RouteUse | null | undefined {
  const topic = useLiveStore((store) => store.topics[keyOf({ estate, topic: 'instances', params: {} })]);
  if (topic === undefined || !topic.isCurrent || topic.table.facts[path.instance] === undefined) {
    return undefined;
  }
  const facts = topic.table.facts[path.instance] as { unavailable?: unknown; missing?: boolean };
  const instance = summariesOf(topic.table).find(({ name }) => name === path.instance);
  const database = instance?.databases.find(({ name }) => name === path.database);
  if (facts.unavailable !== undefined || database === undefined) {
    return undefined;
  }
  return (database.routes ?? []).find((use) => use.route === route) ?? null;
}
