// What a form may propose: taken from the estate, never the only thing one may type.
import type { Estate } from '@/contracts/api';
import { i18n } from '@/i18n';

import { everyService } from './lookup';

export type Suggestion = {
  value: string;
  /** Where it comes from. */
  note: string;
};

/** Every service of the estate once, with the places that host it. */
export function serviceSuggestions(estate: Estate): Suggestion[] {
  const places = new Map<string, string[]>();
  for (const { instance, database, value } of everyService(estate)) {
    places.set(value.name, [...(places.get(value.name) ?? []), `${instance} · ${database}`]);
  }
  return [...places]
    .map(([value, found]) => ({ value, note: found.join(', ') }))
    .sort((one, other) => one.value.localeCompare(other.value));
}

/** Broker ids of the databases that host `service`, or of all databases with services when none is named. */
export function brokerSuggestions(estate: Estate, service: string): Suggestion[] {
  const places = new Map<string, string[]>();
  for (const instance of estate.instances) {
    for (const database of instance.databases) {
      const hosts =
        service === '' ? database.services.length > 0 : database.services.some((one) => one.name === service);
      if (hosts) {
        const found = places.get(database.broker_instance) ?? [];
        places.set(database.broker_instance, [...found, `${instance.name} · ${database.name}`]);
      }
    }
  }
  return [...places].map(([value, found]) => ({ value, note: found.join(', ') }));
}

/** The addresses under which the estate's instances listen, and the two keywords. */
export function addressSuggestions(estate: Estate, keywords: boolean): Suggestion[] {
  const addresses = estate.instances.flatMap((instance) =>
    instance.endpoint === null
      ? []
      : [{ value: `TCP://${instance.name.toLowerCase()}:${instance.endpoint.port}`, note: instance.name }],
  );
  const words = [
    { value: 'LOCAL', note: i18n.t('topology:suggestion.local') },
    { value: 'TRANSPORT', note: i18n.t('topology:suggestion.transport') },
  ];
  return keywords ? [...addresses, ...words] : addresses;
}

/** Contracts of a database that its services may use, and the one that every database has. */
export function contractSuggestions(estate: Estate, instance: string, database: string): string[] {
  const found = estate.instances.find((one) => one.name === instance)?.databases.find((one) => one.name === database);
  return ['DEFAULT', ...(found?.contracts.map((contract) => contract.name) ?? [])];
}

/** Message types one may send: those the contract carries in that direction, or all of the database. */
export function messageTypeSuggestions(
  estate: Estate,
  path: { instance: string; database: string },
  contract: string,
  asInitiator: boolean,
): string[] {
  const database = estate.instances
    .find((one) => one.name === path.instance)
    ?.databases.find((one) => one.name === path.database);
  if (contract === 'DEFAULT' || database === undefined) {
    return ['DEFAULT'];
  }
  const barred = asInitiator ? 'TARGET' : 'INITIATOR';
  const uses = database.contracts.find((one) => one.name === contract)?.uses ?? [];
  const types = uses.filter((use) => use.sent_by !== barred).map((use) => use.message_type);
  return types.length > 0 ? types : ['DEFAULT', ...database.message_types.map((type) => type.name)];
}

/**
 * Where a route in a database of `instance` would have to lead for a service: LOCAL when the service is there, else the
 * address of an instance that has it; null when nobody has. Copies of mirrored databases take nothing in.
 */
export function addressOfService(estate: Estate, instance: string, service: string): string | null {
  const hosts = estate.instances.filter(({ databases }) =>
    databases.some(({ state, services }) => state !== 'mirror' && services.some(({ name }) => name === service)),
  );
  if (hosts.some(({ name }) => name === instance)) {
    return 'LOCAL';
  }
  const host = hosts.find(({ endpoint }) => endpoint !== null);
  const port = host?.endpoint?.port;
  return host === undefined || port === undefined ? null : `TCP://${host.name.toLowerCase()}:${port}`;
}
