// Hops, ends and ways in sentences.
import { dispositionKey, dispositionWord } from '@/components/what-if/words';
import type { Estate, LegKind, ToldAnswer, ToldHop, ToldLoss, ToldStep, ToldWay } from '@/contracts/api';
import { i18n } from '@/i18n';
import { absoluteTime } from '@/lib/time';
import { databasesOfBroker } from '@/topology/lookup';
import { keeperOf } from '@/topology/path';
import { legKinds, waysOf, type Step } from '@/topology/what-if-steps';
import { shortId } from '@/topology/words';

export function isLeg(text: string): text is LegKind {
  return (legKinds as readonly string[]).includes(text);
}

/** What is looked for on a leg: there the service that is asked for, back the one that asks. */
export function soughtOn({ question }: ToldAnswer, leg: LegKind): string {
  return leg === 'message' || leg === 'reply-acknowledgement' ? question.to_service : question.service;
}

/** Ends after which whoever has sent keeps what it has sent. */
const arrivedOrEnded: ReadonlySet<string> = new Set([
  'delivered',
  'held-queue-off',
  'refused',
  'sender-down',
  'not-begun',
]);

/** One sentence on where a way ends, and one on who keeps what, where somebody does. */
export function endSentences(answer: ToldAnswer, leg: LegKind, way: ToldWay): string[] {
  const { disposition, instance, database, further, hops } = way;
  const end = i18n.t(`trace:verdict.${dispositionKey(disposition, way.number?.number ?? null)}`, {
    to: soughtOn(answer, leg),
    instance,
    database: database ?? '',
    table: hops.at(-1)?.table ?? '',
    further: further ?? hops.at(-1)?.address ?? '',
  });
  return arrivedOrEnded.has(disposition)
    ? [end]
    : [end, i18n.t(`trace:kept.${leg}`, { keeper: keeperOf(answer, leg) })];
}

export type Deed = 'sent' | 'forwarded' | 'unreached' | 'delivered' | 'kept' | 'discarded';

const unreached: ReadonlySet<string> = new Set(['unreachable', 'nobody-there', 'nobody-claims']);

/** What an instance does with a message by a decision. */
export function deedOf(way: ToldWay, hop: ToldHop): Deed {
  switch (hop.classification) {
    case 'local':
      return 'delivered';
    case 'delayed':
      return 'kept';
    case 'dropped':
      return 'discarded';
    case 'remote':
      return hop === way.hops.at(-1) && unreached.has(way.disposition)
        ? 'unreached'
        : hop.origin === 'inside'
          ? 'sent'
          : 'forwarded';
  }
}

export function deedSentence(way: ToldWay, hop: ToldHop): string {
  return i18n.t(`trace:go.${deedOf(way, hop)}`, {
    instance: hop.instance,
    address: hop.address ?? '',
    next: hop.next_instance ?? 'none',
    database: hop.database ?? '',
    table: hop.table,
  });
}

/** Whose table is read. */
export function tableSentence(way: ToldWay, hop: ToldHop): string {
  const before = way.hops[way.hops.indexOf(hop) - 1];
  const said = { instance: hop.instance, table: hop.table };
  if (hop.match_step === null) {
    return i18n.t('trace:table.none', said);
  }
  if (hop.match_step === 0) {
    return i18n.t('trace:table.reply', said);
  }
  return before?.instance === hop.instance
    ? i18n.t('trace:table.again', said)
    : i18n.t(`trace:table.${hop.origin}`, said);
}

type MatchStep = '1' | '2' | '3' | '4' | '5' | '6' | '7';
type ChooseStep = '1' | '2' | '3' | '4';

export function matchSentence(hop: ToldHop): string {
  return i18n.t(`trace:match.${String(hop.match_step) as MatchStep}`);
}

export function chooseSentence({ choose_step: step, route }: ToldHop): string {
  return step === null || route === null
    ? i18n.t('trace:choose.none')
    : i18n.t(`trace:choose.${String(step) as ChooseStep}`, { route });
}

/** `Step 3 of 5, forwarded by HUB to BERLIN, reason: route ToBerlin names the service`. */
export function toldStep(answer: ToldAnswer, steps: readonly Step[], at: number): string {
  const step = steps[at];
  const way = step === undefined ? undefined : waysOf(answer, step.leg)[step.way];
  const hop = step === undefined ? undefined : way?.hops[step.hop];
  const said = { number: at + 1, count: steps.length };
  if (way === undefined) {
    return '';
  }
  if (hop === undefined) {
    return i18n.t('trace:player.told', {
      ...said,
      deed: i18n.t('trace:player.deed.given', { instance: way.instance }),
      reason: i18n.t('trace:player.reason.local'),
    });
  }
  return i18n.t('trace:player.told', { ...said, deed: deedWords(way, hop), reason: reasonWords(hop) });
}

function deedWords(way: ToldWay, hop: ToldHop): string {
  return i18n.t(`trace:player.deed.${deedOf(way, hop)}`, {
    instance: hop.instance,
    next: hop.next_instance ?? 'none',
    address: hop.address ?? '',
    database: hop.database ?? '',
  });
}

function reasonWords({ match_step: step, candidates, route, choose_step: choice }: ToldHop): string {
  if (step === null) {
    return i18n.t('trace:player.reason.none');
  }
  return candidates.length > 0 && choice === null
    ? i18n.t('trace:player.reason.unchosen')
    : i18n.t(`trace:player.reason.${String(step) as MatchStep | '0'}`, { route: route ?? '' });
}

/** Why a route was not it, in the language of the page. */
export function lossSentence(estate: Estate, hop: ToldHop, { reason, parameter }: ToldLoss): string {
  const chooses = reason === 'address-kind-later';
  return i18n.t(`trace:loss.${reason}`, {
    parameter: parameterText(estate, reason, parameter),
    step: (chooses ? hop.choose_step : hop.match_step) ?? '',
    instance: hop.instance,
  });
}

function parameterText(estate: Estate, reason: ToldLoss['reason'], parameter: ToldLoss['parameter']): string {
  if (reason === 'expired' && typeof parameter === 'number') {
    return absoluteTime(parameter * 1000);
  }
  if (reason === 'broker-instance-differs' || reason === 'other-broker-instance-picked') {
    const id = String(parameter ?? '');
    const [place] = databasesOfBroker(estate, id);
    return place === undefined ? shortId(id) : `${shortId(id)} (${place.instance} · ${place.database})`;
  }
  return String(parameter ?? '');
}

/** What a step of a comparison says: by which route where to, or why nowhere. */
export function comparedStep({ route, address, database, number }: ToldStep): string {
  if (route !== null) {
    return database === null
      ? i18n.t('trace:compare.by', { route, address: address ?? '' })
      : i18n.t('trace:compare.byLocal', { route, database });
  }
  if (database !== null) {
    return i18n.t('trace:compare.local', { database });
  }
  return number === null ? i18n.t('trace:compare.none') : i18n.t('trace:compare.number', { number: String(number) });
}

/** `No route`, by the end of the likeliest way of the message. */
export function answerWord({ disposition, legs }: ToldAnswer): string {
  return dispositionWord(disposition, legs[0]?.ways[0]?.number?.number ?? null);
}
