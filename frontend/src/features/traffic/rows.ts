// The pairs of the page: those that routing delivers, those that somebody has added, and those of the newest run with
// what they did.
import type { TrafficFigures, TrafficOffer, TrafficPair, TrafficRun } from '@/contracts/api';

export type Terms = { contract: string; message_type: string };

export type PairRow = {
  key: string;
  from: { instance: string; database: string; service: string };
  toService: string;
  /** Where routing delivers it; null of a pair that it does not, as far as the definitions say. */
  to: { instance: string; database: string } | null;
  /** What can be sent, at least one. */
  terms: Terms[];
  /** Which of them is, or was. */
  chosen: Terms;
  /** What it did in the newest run; null when it was not in it. */
  figures: TrafficFigures | null;
};

/** By which a pair is known, whatever is sent on it. */
export function pairKey(
  pair: Pick<TrafficPair, 'from_instance' | 'from_database' | 'from_service' | 'to_service'>,
): string {
  return JSON.stringify([pair.from_instance, pair.from_database, pair.from_service, pair.to_service]);
}

export function termsKey({ contract, message_type: type }: Terms): string {
  return JSON.stringify([contract, type]);
}

/** `picked` is which terms somebody has chosen, by the key of the pair. */
export function pairRows(
  offers: readonly TrafficOffer[],
  own: readonly TrafficPair[],
  run: TrafficRun | undefined,
  picked: Readonly<Record<string, Terms>>,
): PairRow[] {
  const rows = new Map<string, PairRow>();
  for (const offer of offers) {
    const [first = { contract: 'DEFAULT', message_type: 'DEFAULT' }] = offer.terms;
    rows.set(pairKey(offer), {
      ...bare(offer, first),
      to: { instance: offer.to_instance, database: offer.to_database },
      terms: offer.terms,
    });
  }
  const ran = run?.plan?.pairs ?? [];
  for (const pair of [...own, ...ran]) {
    const key = pairKey(pair);
    rows.set(key, withTerms(rows.get(key) ?? bare(pair, pair), pair));
  }
  ran.forEach((pair, index) => {
    const row = rows.get(pairKey(pair));
    if (row !== undefined) {
      row.figures = run?.pairs[index] ?? null;
    }
  });
  for (const row of rows.values()) {
    row.chosen = picked[row.key] ?? row.chosen;
  }
  return [...rows.values()];
}

function bare(
  pair: Pick<TrafficPair, 'from_instance' | 'from_database' | 'from_service' | 'to_service'>,
  { contract, message_type }: Terms,
): PairRow {
  const terms = { contract, message_type };
  return {
    key: pairKey(pair),
    from: { instance: pair.from_instance, database: pair.from_database, service: pair.from_service },
    toService: pair.to_service,
    to: null,
    terms: [terms],
    chosen: terms,
    figures: null,
  };
}

function withTerms(row: PairRow, { contract, message_type }: Terms): PairRow {
  const terms = { contract, message_type };
  const isKnown = row.terms.some((each) => termsKey(each) === termsKey(terms));
  return { ...row, terms: isKnown ? row.terms : [...row.terms, terms], chosen: terms };
}

/** As the server takes it. */
export function pairOf(row: PairRow): TrafficPair {
  return {
    from_instance: row.from.instance,
    from_database: row.from.database,
    from_service: row.from.service,
    to_service: row.toService,
    ...row.chosen,
  };
}
