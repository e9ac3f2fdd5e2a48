import { useMemo } from 'react';
import { useSearchParams } from 'react-router';

import type { Estate, TableParameter, TableQuestion, TableRequest, WhatIfBasis } from '@/contracts/api';

import { basisOf, questionOf, useAsked, type Asked } from '../use-question';
import { parseSorting, type Sorting } from './sorting';

/** With what an answer is compared: nothing, another state, or the same one without what is supposed. */
export type Against = 'none' | 'live' | 'sound' | `revision ${number}` | `draft ${number}`;

export type TableAsked = {
  /** The flow, the state, the instant and what is supposed, as on the page of one flow. */
  asked: Asked;
  name: string | null;
  against: Against;
  /** Of the parameters that are no flow: as they stand in the address. */
  given: Readonly<Record<string, string>>;
  sorting: Sorting | null;
  page: number;
  job: string | null;
};

/** Which parameter of the address holds which one of the questions; those of a flow are the ones of its own page. */
export const addressOf: Readonly<Record<string, string>> = {
  to_service: 'to',
  instance: 'on',
  days: 'days',
  seeds: 'seeds',
  first_seed: 'seed',
};

/** What stands in the address. */
export function useTableAsked(): TableAsked {
  const asked = useAsked();
  const [parameters] = useSearchParams();
  return useMemo(() => {
    const given = Object.fromEntries(
      Object.values(addressOf).flatMap((name) => {
        const text = parameters.get(name);
        return text === null || text === '' ? [] : [[name, text]];
      }),
    );
    return {
      asked,
      name: parameters.get('question'),
      against: againstOf(parameters.get('against'), asked),
      given,
      sorting: parseSorting(parameters.get('sort')),
      page: Math.max(1, Number.parseInt(parameters.get('page') ?? '1', 10) || 1),
      job: parameters.get('job'),
    };
  }, [asked, parameters]);
}

/** Of a draft one wants to know what it changes, unless one says otherwise. */
function againstOf(text: string | null, { draft, faults }: Asked): Against {
  if (text === 'none' || text === 'live' || (text !== null && /^(revision|draft) \d+$/.test(text))) {
    return text as Against;
  }
  return text === 'sound' && faults.length > 0 ? 'sound' : draft === null ? 'none' : 'live';
}

/** Whether a question is about a flow, from a service to a service. */
export function isOfFlow({ parameters }: TableQuestion): boolean {
  return parameters.some(({ kind }) => kind === 'service');
}

/** What is asked of the server; null as long as something is missing. */
export function requestOf(question: TableQuestion, { asked, against, given }: TableAsked): TableRequest | null {
  const flow = isOfFlow(question) ? questionOf(asked) : null;
  if (isOfFlow(question) && flow === null) {
    return null;
  }
  const others = question.parameters
    .filter(({ name }) => flow === null || !(name in flow))
    .flatMap((parameter) => {
      const value = given[addressOf[parameter.name] ?? ''];
      return value === undefined ? [] : [[parameter.name, valueOf(parameter, value)] as const];
    });
  // A flow may name more than a table asks about, as its contract.
  const taken = new Set(question.parameters.map(({ name }) => name));
  const ofFlow = Object.entries(flow ?? {}).flatMap(([name, value]) =>
    taken.has(name) && typeof value !== 'boolean' ? [[name, value] as const] : [],
  );
  const after = basisOf(asked);
  const before = beforeOf(after, against);
  return {
    parameters: { ...Object.fromEntries(ofFlow), ...Object.fromEntries(others) },
    after,
    ...(before === null ? {} : { before }),
  };
}

/** Numbers are judged by the server: it says what is wrong with one, in a sentence with its number. */
function valueOf({ kind }: TableParameter, text: string): string | number {
  const isNumber = (kind === 'integer' || kind === 'number') && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

function beforeOf(after: WhatIfBasis, against: Against): WhatIfBasis | null {
  if (against === 'none') {
    return null;
  }
  if (against === 'sound') {
    return { ...after, faults: [] };
  }
  const [kind, number] = against.split(' ');
  return {
    ...after,
    change_set: kind === 'draft' ? Number(number) : null,
    revision: kind === 'revision' ? Number(number) : null,
  };
}

/** What tells the states of an estate apart that an answer may be about. */
export function stateOf(estate: Estate): string {
  return `${estate.state} ${estate.change_set?.sequence ?? ''}`;
}
