// Faults that a what-if supposes, as text and in words. The text stands in the address bar, so that an answer can be
// sent in a mail together with what it supposes.
import { i18n } from '@/i18n';

import { matches } from './words';

export const faultKinds = ['instance', 'link', 'endpoint', 'database', 'queue', 'partner'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** `other`: the far end of a link. `database` for the last three kinds, `queue` for a queue. */
export type Fault = {
  kind: FaultKind;
  instance: string;
  other?: string | null;
  database?: string | null;
  queue?: string | null;
};

/** What an address says: the faults of it, and the parts that are none. */
export type FaultsRead = { faults: Fault[]; unreadable: string[] };

/** How many names stand behind each kind. */
const namesOf: Record<FaultKind, number> = { instance: 1, link: 2, endpoint: 1, database: 2, queue: 3, partner: 2 };

/**
 * `instance/LYON,link/LYON/PARIS`; each name is escaped. The same faults are always the same text, in whatever order
 * they were chosen.
 */
export function formatFaults(faults: readonly Fault[]): string {
  return [...new Set(faults.map(faultText))]
    .sort((one, other) => order(one) - order(other) || compare(one, other))
    .join(',');
}

const order = (key: string) => faultKinds.findIndex((kind) => key.startsWith(`${kind}/`));
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** A fault as text; a link is the same from both of its ends. */
export function faultText(fault: Fault): string {
  return [fault.kind, ...faultNames(fault)].map(encodeURIComponent).join('/');
}

function faultNames({ kind, instance, other, database, queue }: Fault): string[] {
  switch (kind) {
    case 'instance':
    case 'endpoint':
      return [instance];
    case 'link':
      return [instance, other ?? ''].sort(compare);
    case 'database':
    case 'partner':
      return [instance, database ?? ''];
    case 'queue':
      return [instance, database ?? '', queue ?? ''];
  }
}

/** The inverse of `formatFaults`; what is no fault is left out. */
export function parseFaults(text: string | null): Fault[] {
  return readFaults(text).faults;
}

/**
 * `parseFaults` for a page that answers: what is not understood is handed back. An answer with a fault less is another
 * answer, and whoever opened the link must be told.
 */
export function readFaults(text: string | null): FaultsRead {
  const read: FaultsRead = { faults: [], unreadable: [] };
  for (const part of (text ?? '').split(',').filter((each) => each !== '')) {
    const fault = parseFault(part);
    if (fault === null) {
      read.unreadable.push(part);
    } else if (!hasFault(read.faults, fault)) {
      read.faults.push(fault);
    }
  }
  return read;
}

function parseFault(text: string): Fault | null {
  const [given, ...names] = decoded(text);
  const kind = faultKinds.find((known) => known === given);
  const [first, second, third] = names;
  if (kind === undefined || first === undefined || names.length !== namesOf[kind] || names.includes('')) {
    return null;
  }
  if (kind === 'link') {
    return { kind, instance: first, other: second ?? null };
  }
  return {
    kind,
    instance: first,
    ...(second === undefined ? {} : { database: second }),
    ...(third === undefined ? {} : { queue: third }),
  };
}

function decoded(text: string): string[] {
  try {
    return text.split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}

export function hasFault(faults: readonly Fault[], fault: Fault): boolean {
  const key = faultText(fault);
  return faults.some((each) => faultText(each) === key);
}

/** The faults with one more, or with one less where it was among them. */
export function toggledFault(faults: readonly Fault[], fault: Fault): Fault[] {
  const key = faultText(fault);
  const others = faults.filter((each) => faultText(each) !== key);
  return others.length < faults.length ? others : [...others, fault];
}

/** `LYON is down`. */
export function faultWords({ kind, instance, other, database, queue }: Fault): string {
  return i18n.t(`faults:fault.${kind}`, {
    instance,
    other: other ?? '',
    database: database ?? '',
    queue: queue ?? '',
  });
}

/** Several faults at once, in words. */
export function failureWords(faults: readonly Fault[]): string {
  return faults.map(faultWords).join(' + ');
}

/** What a fault takes away, without what becomes of it: `LYON`, `LYON – PARIS`, `LYON · Stock · dbo.Inbox`. */
export function faultPlace({ kind, instance, other, database, queue }: Fault): string {
  if (kind === 'link') {
    return `${instance} – ${other ?? ''}`;
  }
  return [instance, database, queue].filter((part) => typeof part === 'string' && part !== '').join(' · ');
}

/** As `faultPlace`, among faults of other kinds: an instance and its endpoint are not called the same. */
export function faultPart(fault: Fault): string {
  const place = faultPlace(fault);
  return fault.kind === 'endpoint' || fault.kind === 'partner' ? i18n.t(`faults:part.${fault.kind}`, { place }) : place;
}

/** Whether a fault is among what is searched for: by its place or its words. */
export function isFaultSought(fault: Fault, wanted: string): boolean {
  return matches(wanted, [faultPlace(fault), faultWords(fault)]);
}
