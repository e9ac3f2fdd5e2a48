import type { TopologyChange } from '@/topology/changes';

/** What was done, for the notice that offers to take it back. */
export function sentence(change: TopologyChange): string {
  const { instance, database } = change.scope;
  switch (change.type) {
    case 'route-added':
      return `Route ${change.route.name} added to ${instance} · ${database}.`;
    case 'route-replaced':
      return `Route ${change.after.name} of ${instance} · ${database} changed.`;
    case 'route-removed':
      return `Route ${change.route.name} of ${instance} · ${database} deleted.`;
  }
}
