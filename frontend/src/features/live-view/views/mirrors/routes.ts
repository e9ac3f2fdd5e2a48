import type { Instance } from '@/contracts/api';
import type { DefinedRoute } from '@/live/grid/mirror-pairs';

/** The mirrored routes of an estate as they are defined. */
export function definedRoutes(instances: readonly Instance[]): DefinedRoute[] {
  return instances.flatMap(({ name, databases }) =>
    databases
      .flatMap(({ routes }) => routes)
      .flatMap((route) => {
        const {
          service_name: service,
          broker_instance: brokerInstance,
          address,
          mirror_address: mirrorAddress,
        } = route;
        if (mirrorAddress === null || service === null || brokerInstance === null) {
          return [];
        }
        return [
          {
            instance: name,
            service,
            brokerInstance,
            address,
            mirrorAddress,
            at: route.target_instance,
            mirrorAt: route.mirror_target_instance,
          },
        ];
      }),
  );
}
