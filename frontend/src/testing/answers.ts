// Answers of a what-if about the small estate for tests.
import type { FlowQuestion, LegKind, ToldAnswer, ToldHop, ToldLeg, ToldNumber, ToldWay, WhatIf } from '@/contracts/api';

import { names } from './demo-estate';

export const question: FlowQuestion = {
  instance: 'PARIS',
  database: 'Ventes',
  service: names.orders,
  to_service: names.size,
  broker_instance: null,
};

export const noRoute: ToldNumber = {
  number: 9750,
  text: 'No route matches the destination service name',
  why: 'No route of the database names the service.',
  cure: 'Create a route for the service.',
};

export function hop(instance: string, table: string, more: Partial<ToldHop> = {}): ToldHop {
  return {
    instance,
    origin: 'outside',
    table,
    classification: 'remote',
    match_step: 2,
    choose_step: 3,
    route: null,
    candidates: typeof more.route === 'string' ? [more.route] : [],
    losses: [],
    others: 0,
    address: null,
    next_instance: null,
    mirror_address: null,
    database: null,
    number: null,
    caution: null,
    share: 1,
    proof: [],
    ...more,
  };
}

/** PARIS to BERLIN by way of HUB. */
export const there: ToldWay = {
  share: 1,
  disposition: 'delivered',
  light: 'green',
  instance: 'BERLIN',
  database: 'Lagerverwaltung',
  number: null,
  further: null,
  hops: [
    hop('PARIS', 'Ventes', {
      origin: 'inside',
      route: 'VersBerlin',
      address: 'TCP://hub:4022',
      next_instance: 'HUB',
      losses: [
        {
          route: 'AutoCreatedLocal',
          reason: 'later-step',
          sentence: 'AutoCreatedLocal is no candidate.',
          parameter: 5,
        },
        {
          route: 'VersLyon',
          reason: 'service-differs',
          sentence: 'VersLyon is no candidate.',
          parameter: names.reception,
        },
      ],
    }),
    hop('HUB', 'msdb', { route: 'ToBerlin', address: 'TCP://berlin:4022', next_instance: 'BERLIN' }),
    hop('BERLIN', 'msdb', {
      classification: 'local',
      route: 'AutoCreatedLocal',
      match_step: 5,
      choose_step: 2,
      database: 'Lagerverwaltung',
    }),
  ],
};

/** The acknowledgement by way of HUB; BERLIN's broker id is known, so PARIS needs no route. */
export const back: ToldWay = {
  ...there,
  instance: 'PARIS',
  database: 'Ventes',
  hops: [
    hop('BERLIN', 'Lagerverwaltung', {
      origin: 'inside',
      route: 'NachParis',
      address: 'TCP://hub:4022',
      next_instance: 'HUB',
    }),
    hop('HUB', 'msdb', { route: 'ToParis', address: 'TCP://paris:4022', next_instance: 'PARIS' }),
    hop('PARIS', 'msdb', { classification: 'local', match_step: 0, choose_step: null, database: 'Ventes' }),
  ],
};

/** The sender has no route. */
export const stuck: ToldWay = {
  share: 1,
  disposition: 'delayed',
  light: 'red',
  instance: 'PARIS',
  database: null,
  number: noRoute,
  further: null,
  hops: [
    hop('PARIS', 'Ventes', {
      origin: 'inside',
      classification: 'delayed',
      match_step: 7,
      choose_step: null,
      number: noRoute,
    }),
  ],
};

function leg(kind: LegKind, ways: ToldWay[]): ToldLeg {
  return {
    kind,
    light: ways.length === 0 ? 'grey' : ways.every(({ light }) => light === 'green') ? 'green' : 'red',
    arrives: ways.some(({ light }) => light === 'green') ? 1 : 0,
    ways,
  };
}

/** The answer with its four legs by these ways; a leg without any is not reached. */
export function answer(legs: Partial<Record<LegKind, ToldWay[]>> = {}, more: Partial<ToldAnswer> = {}): ToldAnswer {
  const { message = [there], acknowledgement = [back], reply = [back] } = legs;
  const told = [
    leg('message', message),
    leg('acknowledgement', acknowledgement),
    leg('reply', reply),
    leg('reply-acknowledgement', legs['reply-acknowledgement'] ?? [there]),
  ];
  const first = told[0]?.light ?? 'grey';
  return {
    question,
    contract: 'DEFAULT',
    message_type: 'DEFAULT',
    at: '2026-01-01T00:00:00Z',
    faults: [],
    disposition: message[0]?.disposition ?? 'delayed',
    light: first === 'green' && told.some(({ light }) => light !== 'green') ? 'amber' : first,
    stays_unacknowledged: first === 'green' && told[1]?.light === 'red',
    legs: told,
    followed: 1,
    engine_version: '1.0.0',
    ...more,
  };
}

export const undeliverable = answer({ message: [stuck], acknowledgement: [], reply: [], 'reply-acknowledgement': [] });

export function whatIf(told: ToldAnswer = answer(), more: Partial<WhatIf> = {}): WhatIf {
  return {
    basis: {
      revision: 1,
      change_set: null,
      sequence: null,
      at: '2026-01-01T00:00:00Z',
      is_now: true,
      engine_version: '1.0.0',
    },
    answer: told,
    fingerprint: 'f00d',
    lines: [
      {
        instance: 'PARIS',
        database: 'Ventes',
        name: 'VersBerlin',
        text: "CREATE ROUTE [VersBerlin] WITH ADDRESS = N'TCP://hub:4022';",
      },
    ],
    near_misses: [],
    ...more,
  };
}
