// Who writes to a mirrored pair: the flows that a failover concerns.
import type { Database, Estate } from '@/contracts/api';

import type { Flow } from './what-if-address';

export type MirroredPair = Estate['mirrors'][number];

/** The flows that mirrored routes of the estate lead to a pair, in the order of the routes. */
export function flowsToPair(estate: Estate, pair: MirroredPair): Flow[] {
  const wanted = pair.broker_instance.toLowerCase();
  return estate.instances.flatMap((instance) =>
    instance.databases.flatMap((database) =>
      database.routes
        .filter(
          (route) =>
            route.mirror_address !== null && route.broker_instance?.toLowerCase() === wanted && !route.is_expired,
        )
        .flatMap((route) =>
          sendersOf(database).map((service) => ({
            instance: instance.name,
            database: database.name,
            service,
            to_service: route.service_name ?? '',
            broker_instance: route.broker_instance,
          })),
        ),
    ),
  );
}

/** In whose name a database writes: services that list no contract begin dialogs; where all list one, each may. */
function sendersOf({ services }: Database): string[] {
  const beginners = services.filter(({ contracts }) => contracts.length === 0);
  return (beginners.length === 0 ? services : beginners).map(({ name }) => name);
}
