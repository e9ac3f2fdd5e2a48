// How a mirrored pair stands under supposed faults, and which faults make it stand so.
import type { Estate } from '@/contracts/api';

import { faultText, type Fault } from './faults';
import { databasesOfBroker } from './lookup';
import type { MirroredPair } from './mirrored-flows';

export type PairState = 'as-is' | 'failed-over' | 'both-down';

/** One of the two, as it is defined. */
export type Partner = { instance: string; database: string; isMirror: boolean };

/** Both partners, the principal first; fewer where the other is outside of the estate. */
export function partnersOf(estate: Estate, { broker_instance: id }: MirroredPair): Partner[] {
  return databasesOfBroker(estate, id)
    .map(({ instance, database, value }) => ({ instance, database, isMirror: value.state === 'mirror' }))
    .sort((one, other) => Number(one.isMirror) - Number(other.isMirror));
}

export function pairStateOf(faults: readonly Fault[], partners: readonly Partner[]): PairState {
  const down = partners.filter((partner) => isDown(faults, partner));
  if (partners.length > 0 && down.length === partners.length) {
    return 'both-down';
  }
  return faults.some((fault) => fault.kind === 'partner' && partners.some((partner) => isOf(fault, partner)))
    ? 'failed-over'
    : 'as-is';
}

/** Whether a partner is off, its database or its whole server. */
export function isDown(faults: readonly Fault[], partner: Partner): boolean {
  return faults.some(
    (fault) =>
      (fault.kind === 'instance' && fault.instance === partner.instance) ||
      (fault.kind === 'database' && isOf(fault, partner)),
  );
}

const isOf = (fault: Fault, { instance, database }: Partner) =>
  fault.instance === instance && fault.database === database;

/** The faults with a pair in another state; those that do not concern the pair stay. */
export function withPairState(faults: readonly Fault[], partners: readonly Partner[], state: PairState): Fault[] {
  const [first] = partners;
  const wanted: Fault[] =
    first === undefined || state === 'as-is'
      ? []
      : state === 'failed-over'
        ? [faultOf('partner', first)]
        : partners.map((partner) => faultOf('database', partner));
  return [...withoutPair(faults, partners), ...wanted];
}

/** The faults that say nothing of which partner takes what is sent to the pair. */
export function withoutPair(faults: readonly Fault[], partners: readonly Partner[]): Fault[] {
  const own = new Set(
    partners.flatMap((partner) => [faultOf('partner', partner), faultOf('database', partner)]).map(faultText),
  );
  const servers = partners.every((partner) => faults.some((fault) => isServer(fault, partner)))
    ? partners.map(({ instance }) => instance)
    : [];
  return faults.filter(
    (fault) => !own.has(faultText(fault)) && !(fault.kind === 'instance' && servers.includes(fault.instance)),
  );
}

const isServer = (fault: Fault, { instance }: Partner) => fault.kind === 'instance' && fault.instance === instance;

const faultOf = (kind: 'partner' | 'database', { instance, database }: Partner): Fault => ({
  kind,
  instance,
  database,
});
