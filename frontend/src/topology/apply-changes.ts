// Shows an edit at once, before the server has it: a pure overlay over the last topology the server sent.
import type { Database, Estate, Route } from '@/contracts/api';

import { routeNames, type TopologyChange } from './changes';

/** An edit that was asked for. */
export type PendingChange = { id: string; change: TopologyChange };

/** The estate with `changes` made. A change that is already in it changes nothing, so late answers do no harm. */
export function applyChanges(estate: Estate, changes: readonly TopologyChange[]): Estate {
  return changes.reduce(applyChange, estate);
}

function applyChange(estate: Estate, change: TopologyChange): Estate {
  const { instance, database } = change.scope;
  return {
    ...estate,
    instances: estate.instances.map((one) =>
      one.name !== instance
        ? one
        : {
            ...one,
            databases: one.databases.map((other) => (other.name === database ? changeRoutes(other, change) : other)),
          },
    ),
  };
}

function changeRoutes(database: Database, change: TopologyChange): Database {
  const { before, after } = routeNames(change);
  const others = database.routes.filter((route) => route.name !== before && route.name !== after);
  const route = change.type === 'route-replaced' ? change.after : change.route;
  const routes: Route[] = after === null ? others : [...others, route];
  return { ...database, routes: routes.toSorted((one, other) => one.name.localeCompare(other.name)) };
}
