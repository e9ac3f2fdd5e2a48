// Finding things in an estate. Instance, database and route names are local labels and unique; service names are
// compared code unit by code unit, never folded.
import type { Database, Estate, Instance, Route, Service } from '@/contracts/api';

import type { DatabasePath } from './selection';

export const gateDatabase = 'msdb';

export type Located<T> = DatabasePath & { value: T };

export function findInstance(estate: Estate, name: string): Instance | undefined {
  return estate.instances.find((instance) => instance.name === name);
}

export function findDatabase(estate: Estate, path: DatabasePath): Database | undefined {
  return findInstance(estate, path.instance)?.databases.find((database) => database.name === path.database);
}

export function findRoute(estate: Estate, path: DatabasePath, name: string): Route | undefined {
  return findDatabase(estate, path)?.routes.find((route) => route.name === name);
}

export function findService(estate: Estate, path: DatabasePath, name: string): Service | undefined {
  return findDatabase(estate, path)?.services.find((service) => service.name === name);
}

/** Whether a queue is on by definition; what the instance has made of it is another question. */
export function isQueueWanted(estate: Estate, path: DatabasePath, name: string): boolean {
  return findDatabase(estate, path)?.queues.find((queue) => queue.name === name)?.is_enabled ?? true;
}

function everyDatabase(estate: Estate): Located<Database>[] {
  return estate.instances.flatMap((instance) =>
    instance.databases.map((database) => ({
      instance: instance.name,
      database: database.name,
      value: database,
    })),
  );
}

export function everyRoute(estate: Estate): Located<Route>[] {
  return everyDatabase(estate).flatMap(({ value, ...path }) =>
    value.routes.map((route) => ({ ...path, value: route })),
  );
}

export function everyService(estate: Estate): Located<Service>[] {
  return everyDatabase(estate).flatMap(({ value, ...path }) =>
    value.services.map((service) => ({ ...path, value: service })),
  );
}

/** Where a broker id lives: several databases when it is a mirrored one. */
export function databasesOfBroker(estate: Estate, brokerInstance: string): Located<Database>[] {
  const wanted = brokerInstance.toLowerCase();
  return everyDatabase(estate).filter(({ value }) => value.broker_instance.toLowerCase() === wanted);
}

/** Routes whose address, or mirror address, is this instance. */
export function routesTo(estate: Estate, instance: string): Located<Route>[] {
  return everyRoute(estate).filter(
    ({ value }) => value.target_instance === instance || value.mirror_target_instance === instance,
  );
}

/** Whether the instance still has to take over what is wanted. */
export function isBehind(instance: Instance): boolean {
  return instance.applied_revision < instance.desired_revision;
}

/**
 * The instance that listens at `address` by its own name or a host name it is given; null when none of the estate does.
 */
export function instanceAt(estate: Estate, address: string): string | null {
  const match = /^tcp:\/\/([^:/]+):(\d+)/i.exec(address);
  const host = match?.[1]?.toLowerCase();
  const port = Number(match?.[2]);
  const found = estate.instances.find(
    (instance) =>
      instance.endpoint?.port === port &&
      [instance.name, ...instance.host_names].some((name) => name.toLowerCase() === host),
  );
  return found?.name ?? null;
}
