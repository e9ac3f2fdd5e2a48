// The flow that something wrong is about, as far as its name tells: the question that a page asks of it.
import type { Estate, FindingSubject } from '@/contracts/api';

import { findDatabase, findRoute, findService } from './lookup';
import type { DatabasePath } from './selection';

/** One or both ends of a question. */
export type PartOfFlow = { from?: DatabasePath & { service: string }; to?: string; id?: string | null };

/**
 * Of a route who would write by it, to the service that it names; of a service who writes to it. Null for anything
 * else, and for a route that names no service: of it one cannot tell which flow is meant.
 */
export function flowOfSubject(estate: Estate, { instance, database, kind, name }: FindingSubject): PartOfFlow | null {
  if (database === null) {
    return null;
  }
  const path = { instance, database };
  if (kind === 'service') {
    return findService(estate, path, name) === undefined ? null : { to: name };
  }
  const route = kind === 'route' ? findRoute(estate, path, name) : undefined;
  if (route === undefined || route.service_name === null) {
    return null;
  }
  const services = findDatabase(estate, path)?.services ?? [];
  // Services without a contract begin dialogs.
  const sender = services.find(({ contracts }) => contracts.length === 0) ?? services[0];
  return {
    ...(sender === undefined ? {} : { from: { ...path, service: sender.name } }),
    to: route.service_name,
    id: route.broker_instance,
  };
}
