// What the drawing can leave out, layer by layer, and what belongs to which.
import type { Estate, Route } from '@/contracts/api';

import { gateDatabase } from './lookup';

/** In the order in which they are offered; the names stand in the address bar and with the account. */
export const layers = ['routes', 'forwarding', 'mirrors', 'services', 'findings', 'live'] as const;
export type Layer = (typeof layers)[number];
export type Hidden = ReadonlySet<Layer>;

export function isLayer(text: string): text is Layer {
  return (layers as readonly string[]).includes(text);
}

/** LOCAL routes stand among the services in their box; what msdb routes is what an instance forwards. */
export function layerOf(database: string, route: Pick<Route, 'address_kind' | 'mirror_address'>): DrawnLayer {
  if (route.address_kind === 'local') {
    return 'services';
  }
  if (route.mirror_address !== null) {
    return 'mirrors';
  }
  return database === gateDatabase ? 'forwarding' : 'routes';
}

/** The estate without the routes of hidden layers: what nobody sees must not be taken into a selection unseen. */
export function withoutRoutesOf(estate: Estate, hidden: Hidden): Estate {
  return hidden.size === 0
    ? estate
    : {
        ...estate,
        instances: estate.instances.map((instance) => ({
          ...instance,
          databases: instance.databases.map((database) => ({
            ...database,
            routes: database.routes.filter((route) => !hidden.has(layerOf(database.name, route))),
          })),
        })),
      };
}

/** The layers that lines and what is in boxes belong to. */
export type DrawnLayer = Exclude<Layer, 'findings' | 'live'>;

/** How much an estate has in each layer; findings and what is live are counted where they are known. */
export function countsOf(estate: Estate): Readonly<Record<DrawnLayer, number>> {
  const counts = { routes: 0, forwarding: 0, mirrors: 0, services: 0 };
  for (const { databases } of estate.instances) {
    for (const { name, services, routes } of databases) {
      counts.services += services.length;
      for (const route of routes) {
        counts[layerOf(name, route)] += 1;
      }
    }
  }
  return counts;
}
