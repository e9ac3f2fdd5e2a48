// The address of the what-if page, which holds a question and what it is asked of: a link that is sent in a mail asks the
// same again.
import { formatFaults, type Fault } from './faults';

/**
 * A message that `service` of a database sends to `to_service`; broker id and contract are those that BEGIN DIALOG names,
 * the message type the one of SEND.
 */
export type Flow = {
  instance: string;
  database: string;
  service: string;
  to_service: string;
  broker_instance?: string | null;
  contract?: string | null;
  message_type?: string | null;
  /** ENCRYPTION of BEGIN DIALOG. */
  encryption?: boolean | null;
};

/** Of what something is asked: nothing at all is the live estate as it is now. */
export type Basis = {
  draft?: number | null;
  revision?: number | null;
  /** An instant, as ISO 8601. */
  at?: string | null;
  faults?: readonly Fault[];
};

/** `INSTANCE/DATABASE/SERVICE`, each part escaped: names of services contain slashes. */
export function formatSender({ instance, database, service }: Flow): string {
  return [instance, database, service].map(encodeURIComponent).join('/');
}

/** The inverse of `formatSender`; null when the text names nobody. */
export function parseSender(text: string | null): Pick<Flow, 'instance' | 'database' | 'service'> | null {
  const [instance, database, service, ...more] = decoded(text ?? '');
  if (!instance || !database || !service || more.length > 0) {
    return null;
  }
  return { instance, database, service };
}

function decoded(text: string): string[] {
  try {
    return text.split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}

/** What a basis says in an address; a parameter for each part of it that there is. */
export function basisParameters({ draft, revision, at, faults = [] }: Basis): Record<string, string> {
  const given = {
    draft: numberText(draft),
    revision: numberText(revision),
    at: at ?? null,
    faults: formatFaults(faults) || null,
  };
  return Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null));
}

const numberText = (number: number | null | undefined) => (typeof number === 'number' ? String(number) : null);

/** A flow in an address; what it does not name has no parameter. */
export function flowParameters(
  flow: Flow,
): Record<'from' | 'to' | 'id' | 'contract' | 'type' | 'encryption', string | null> {
  return {
    from: formatSender(flow),
    to: flow.to_service,
    id: flow.broker_instance ?? null,
    contract: flow.contract ?? null,
    type: flow.message_type ?? null,
    encryption: flow.encryption === true ? 'on' : null,
  };
}

/** Where a flow is traced hop by hop. */
export function whatIfAddress(estate: string, flow: Flow, basis: Basis = {}): string {
  return addressOf(estate, 'whatif', flow, basis);
}

/** One failure at a time, or every two at once. */
export type Preset = 'single' | 'pairs';

/** Where a flow is asked under every failure of what it depends on. */
export function faultLabAddress(
  estate: string,
  flow: Flow,
  basis: Omit<Basis, 'revision'> = {},
  preset: Preset = 'single',
): string {
  return addressOf(estate, 'faults', flow, basis) + (preset === 'single' ? '' : `&preset=${preset}`);
}

function addressOf(estate: string, page: string, flow: Flow, basis: Basis): string {
  const named = Object.entries(flowParameters(flow)).filter((entry): entry is [string, string] => entry[1] !== null);
  const parameters = new URLSearchParams({ ...Object.fromEntries(named), ...basisParameters(basis) });
  return `/estates/${encodeURIComponent(estate)}/${page}?${parameters.toString()}`;
}
