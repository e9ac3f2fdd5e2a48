// An answer as plain text for a ticket or a mail, in the language of the page.
import { i18n } from '@/i18n';
import type { ToldAnswer, ToldNumber, WhatIf } from '@/contracts/api';
import { sentence } from '@/lib/errors';
import { absoluteTime } from '@/lib/time';
import { faultWords } from '@/topology/faults';
import { start, stepsOf, waysOf } from '@/topology/what-if-steps';

import { answerWord, endSentences, toldStep } from './words';

/** Question, what it was asked of, verdict, number, and each leg with its steps; `link` asks the same again. */
export function ticketText(estate: string, whatIf: WhatIf, link: string): string {
  const { answer } = whatIf;
  const way = waysOf(answer, 'message')[0];
  const parts = [
    [
      question(answer),
      i18n.t('trace:answer.spoken', { contract: answer.contract, type: answer.message_type }),
      askedOf(estate, whatIf),
    ],
    [
      answerWord(answer),
      ...(way === undefined ? [] : [endSentences(answer, 'message', way).join(' ')]),
      ...(way?.number ? [numberText(way.number)] : []),
      ...(answer.stays_unacknowledged ? [i18n.t('trace:unacknowledged', { sender: answer.question.database })] : []),
    ],
    legs(answer),
    [link],
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function question({ question: { instance, database, service, to_service: to, broker_instance: id } }: ToldAnswer) {
  return i18n.t('whatif:flow', { service, instance, database, to, id: id ?? '', named: id ? 'yes' : 'no' });
}

function askedOf(estate: string, { basis, answer }: WhatIf): string {
  const state =
    basis.change_set === null
      ? i18n.t('whatif:basis.revision', { revision: basis.revision })
      : i18n.t('whatif:basis.draft', { number: basis.change_set });
  return [estate, state, absoluteTime(Date.parse(basis.at)), ...answer.faults.map(faultWords)].join(' · ');
}

function numberText({ number, text, why, cure }: ToldNumber): string {
  const told = [`${number} · ${sentence(text)}`, ...(why === '' ? [] : [sentence(why)])];
  return [...told, ...(cure === '' ? [] : [`${i18n.t('trace:answer.cure')} ${sentence(cure)}`])].join(' ');
}

/** Each leg with its light, below it its steps by the likeliest way. */
function legs(answer: ToldAnswer): string[] {
  const steps = stepsOf(answer, start);
  return answer.legs.flatMap(({ kind, light }) => [
    i18n.t('trace:ticket.leg', { leg: i18n.t(`whatif:leg.${kind}.word`), light: i18n.t(`whatif:light.${light}.word`) }),
    ...steps.flatMap((step, at) => (step.leg === kind ? [`  ${toldStep(answer, steps, at)}`] : [])),
  ]);
}
