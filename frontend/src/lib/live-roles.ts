// Which partner of a mirrored pair is the copy now: the topology says how the pair was set up, a failover is no change
// of it.
import type { Estate } from '@/contracts/api';
import type { DatabaseView } from '@/live/instance-view';
import type { LiveInstance } from '@/live/compose';

type State = DatabaseView['state'];

/** The states of mirrored databases that differ from what was set up, as text: equal texts, equal states. */
export function changedRoles(estate: Estate, instances: Readonly<Record<string, LiveInstance | undefined>>): string {
  const changed = estate.instances.flatMap((instance) => {
    const views = instances[instance.name]?.view?.databases ?? [];
    return instance.databases
      .filter((database) => database.partner_address !== null)
      .map((database) => [
        instance.name,
        database.name,
        views.find((view) => view.name === database.name)?.state ?? database.state,
        database.state,
      ])
      .filter(([, , now, setUp]) => now !== setUp)
      .map(([place, name, now]) => [place, name, now]);
  });
  return changed.length === 0 ? '' : JSON.stringify(changed);
}

/** The estate with its mirrored databases in the roles that `changedRoles` has found. */
export function withRoles(estate: Estate, roles: string): Estate {
  if (roles === '') {
    return estate;
  }
  const now = JSON.parse(roles) as [string, string, State][];
  return {
    ...estate,
    instances: estate.instances.map((instance) => ({
      ...instance,
      databases: instance.databases.map((database) => ({
        ...database,
        state: now.find(([place, name]) => place === instance.name && name === database.name)?.[2] ?? database.state,
      })),
    })),
  };
}
