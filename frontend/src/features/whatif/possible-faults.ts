// Every single failure that an estate can have, for choosing from.
import type { Estate } from '@/contracts/api';
import type { Fault } from '@/topology/faults';

/** Instances, links that routes use, endpoints, databases, queues, and mirrored pairs. */
export function faultsOf(estate: Estate): Fault[] {
  const { instances } = estate;
  return [
    ...instances.map(({ name }): Fault => ({ kind: 'instance', instance: name })),
    ...linksOf(estate),
    ...instances.flatMap(({ name, endpoint }): Fault[] =>
      endpoint === null ? [] : [{ kind: 'endpoint', instance: name }],
    ),
    ...instances.flatMap(({ name, databases }) =>
      databases.map(({ name: database }): Fault => ({ kind: 'database', instance: name, database })),
    ),
    ...instances.flatMap(({ name, databases }) =>
      databases.flatMap(({ name: database, queues }) =>
        queues.map((queue): Fault => ({ kind: 'queue', instance: name, database, queue: queue.name })),
      ),
    ),
    ...estate.mirrors.flatMap(({ database, instances: [instance] }): Fault[] =>
      instance === undefined ? [] : [{ kind: 'partner', instance, database }],
    ),
  ];
}

function linksOf({ instances }: Estate): Fault[] {
  const pairs = new Map<string, Fault>();
  for (const { name, databases } of instances) {
    for (const { routes } of databases) {
      for (const { target_instance: one, mirror_target_instance: two } of routes) {
        for (const target of [one, two]) {
          if (target !== null && target !== name) {
            const [instance = '', other = ''] = [name, target].sort();
            pairs.set(JSON.stringify([instance, other]), { kind: 'link', instance, other });
          }
        }
      }
    }
  }
  return [...pairs.values()];
}
