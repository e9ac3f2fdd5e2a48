// An edit of the topology as a value. It carries its own *before*.
import type { Route } from '@/contracts/api';

import type { DatabasePath } from './selection';

export type TopologyChange =
  | { type: 'route-added'; scope: DatabasePath; route: Route }
  | { type: 'route-replaced'; scope: DatabasePath; before: Route; after: Route }
  | { type: 'route-removed'; scope: DatabasePath; route: Route };

/** The name under which the change's route is found before it, and after it. */
export function routeNames(change: TopologyChange): { before: string | null; after: string | null } {
  switch (change.type) {
    case 'route-added':
      return { before: null, after: change.route.name };
    case 'route-removed':
      return { before: change.route.name, after: null };
    case 'route-replaced':
      return { before: change.before.name, after: change.after.name };
  }
}
