// Mirrored pairs as those who send to them see them: each asks both partners itself, so that two may know different
// things.
import type { GridRow, Read } from './rows';
import type { Source } from './sources';

/** What is known of one partner (mirroring.md 4). */
export const partnerStates = [
  'INACTIVE',
  'PROBING',
  'CONNECTED_PRINCIPAL',
  'CONNECTED_MIRROR',
  'DISCONNECTED',
] as const;

export type PartnerState = (typeof partnerStates)[number];

/** A mirrored route as it is defined. */
export type DefinedRoute = {
  instance: string;
  service: string;
  brokerInstance: string;
  address: string;
  mirrorAddress: string;
  /** Instances of the estate at the addresses; null for addresses of nobody here. */
  at: string | null;
  mirrorAt: string | null;
};

export type Partner = { address: string; instance: string | null };

/**
 * One who sends to a pair; `row` is null while its route has not been used since it was started, or nothing is known of
 * it.
 */
export type Observer = { source: Source; row: GridRow | null };

export type Pair = {
  key: string;
  service: string;
  brokerInstance: string;
  partners: readonly [Partner, Partner];
  observers: readonly Observer[];
};

/** Why messages over a mirrored route flow or wait. */
export type PairReason = 'flows' | 'both' | 'idle' | 'principalAway' | 'bothAway' | 'nobodyClaims' | 'asking';

/**
 * The pairs of an estate: those of its routes, and those that are told of. Neither address comes first by its own
 * right.
 */
export function mirrorPairs(
  routes: readonly DefinedRoute[],
  rows: readonly GridRow[],
  read: Read,
  sources: readonly Source[],
): Pair[] {
  const found = new Map<string, Pair>();
  const put = (route: DefinedRoute, row: GridRow | null) => {
    const source = sources.find(({ instance }) => instance === route.instance);
    if (source === undefined) {
      return;
    }
    const partners = partnersOf(route);
    const key = [
      route.service,
      route.brokerInstance.toLowerCase(),
      ...partners.map(({ address }) => address.toLowerCase()),
    ].join(' ');
    const before = found.get(key) ?? {
      key,
      service: route.service,
      brokerInstance: route.brokerInstance,
      partners,
      observers: [],
    };
    const others = before.observers.filter((observer) => observer.source.instance !== route.instance);
    const own = before.observers.find((observer) => observer.source.instance === route.instance)?.row ?? null;
    found.set(key, { ...before, observers: [...others, { source, row: row ?? own }] });
  };
  routes.forEach((route) => {
    put(route, null);
  });
  rows.forEach((row) => {
    const text = (id: string) => String(read(row, id));
    const known = routes.find(
      ({ address, mirrorAddress }) => address === text('address') && mirrorAddress === text('mirror_address'),
    );
    const told = {
      service: text('service_name'),
      brokerInstance: text('broker_instance'),
      address: text('address'),
      mirrorAddress: text('mirror_address'),
    };
    put({ ...told, instance: row.instance, at: known?.at ?? null, mirrorAt: known?.mirrorAt ?? null }, row);
  });
  return [...found.values()];
}

function partnersOf({ address, mirrorAddress, at, mirrorAt }: DefinedRoute): readonly [Partner, Partner] {
  const partners = [
    { address, instance: at },
    { address: mirrorAddress, instance: mirrorAt },
  ].toSorted((one, other) => one.address.localeCompare(other.address));
  return partners as [Partner, Partner];
}

/** What an observer knows of the partner at an address. */
export function stateAt(row: GridRow, read: Read, address: string): PartnerState | null {
  const isFirst = String(read(row, 'address')).toLowerCase() === address.toLowerCase();
  const told = read(row, isFirst ? 'address_state' : 'mirror_address_state');
  return partnerStates.find((state) => state === told) ?? null;
}

/** What its messages do now, and why (mirroring.md 3). */
export function reasonOf(row: GridRow, read: Read): PairReason {
  const states = [read(row, 'address_state'), read(row, 'mirror_address_state')];
  if (read(row, 'are_both_principal') === true) {
    return 'both';
  }
  if (states.includes('CONNECTED_PRINCIPAL')) {
    return 'flows';
  }
  if (states.every((state) => state === 'INACTIVE')) {
    return 'idle';
  }
  if (states.every((state) => state === 'DISCONNECTED')) {
    return 'bothAway';
  }
  if (String(read(row, 'state')).startsWith('KNOWN')) {
    return 'principalAway';
  }
  return read(row, 'state') === 'SEARCHING' ? 'nobodyClaims' : 'asking';
}

/** Reasons for which somebody should look. */
export const troublesome: readonly PairReason[] = ['both', 'principalAway', 'bothAway', 'nobodyClaims'];
