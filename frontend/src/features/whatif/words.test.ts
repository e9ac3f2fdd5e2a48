import { describe, expect, it } from 'vitest';

import { answer, back, hop, there, undeliverable } from '@/testing/answers';
import { demoEstate, names } from '@/testing/demo-estate';
import { start, stepsOf } from '@/topology/what-if-steps';

import { missingRouteAddress } from './missing-route';
import { deedOf, endSentences, lossSentence, tableSentence, toldStep } from './words';

const told = answer();
const steps = stepsOf(told, start);

describe('a step in words', () => {
  it.each([
    [0, 'Step 1 of 12, sent by PARIS to HUB, reason: route VersBerlin names the service'],
    [1, 'Step 2 of 12, forwarded by HUB to BERLIN, reason: route ToBerlin names the service'],
    [2, 'Step 3 of 12, delivered by BERLIN to Lagerverwaltung, reason: route AutoCreatedLocal takes any service'],
    [5, 'Step 6 of 12, delivered by PARIS to Ventes, reason: the broker id lives there'],
  ])('%i', (at, words) => {
    expect(toldStep(told, steps, at)).toBe(words);
  });

  it('says that nothing fits, and that both ends are in one instance', () => {
    expect(toldStep(undeliverable, stepsOf(undeliverable, start), 0)).toBe(
      'Step 1 of 1, kept by PARIS, reason: no route fits',
    );
    const local = answer({ acknowledgement: [{ ...back, hops: [] }] });
    expect(toldStep(local, stepsOf(local, start), 3)).toBe(
      'Step 4 of 10, given within PARIS, reason: both ends are there',
    );
  });

  it('does not say that a message was sent to somebody who does not answer', () => {
    const [first] = there.hops;
    const lost = { ...there, disposition: 'unreachable' as const, hops: there.hops.slice(0, 1), further: 'HUB' };
    expect(first && deedOf(lost, first)).toBe('unreached');
    expect(first && deedOf(there, first)).toBe('sent');
  });

  it('tells whose msdb decides when an address is that of the instance itself', () => {
    const first = hop('PARIS', 'Ventes', { origin: 'inside', route: 'Chez nous', next_instance: 'PARIS' });
    const again = hop('PARIS', 'msdb');
    expect(tableSentence({ ...there, hops: [first, again] }, again)).toContain('is that of PARIS itself');
    expect(tableSentence({ ...there, hops: [first, again] }, first)).toContain('reads the routes of Ventes');
  });
});

describe('the end of a way in words', () => {
  it('names the place that was reached and who keeps the message', () => {
    const [way] = undeliverable.legs[0]?.ways ?? [];
    expect(way && endSentences(undeliverable, 'message', way)).toEqual([
      `It got no further than PARIS: no route of Ventes leads to ${names.size}.`,
      'Ventes keeps the message and tries again.',
    ]);
  });

  it('says of a reply that the target keeps it, and of an acknowledgement that the sender does not hear of it', () => {
    const lost = { ...back, disposition: 'discarded' as const, instance: 'HUB', database: null };
    expect(endSentences(told, 'reply', lost)[1]).toBe('Lagerverwaltung keeps the reply and tries again.');
    expect(endSentences(told, 'acknowledgement', lost)[1]).toBe(
      'Ventes does not hear of it, keeps the message in its transmission queue and sends it again.',
    );
  });

  it('is one sentence where the message has arrived', () => {
    expect(endSentences(told, 'message', there)).toEqual([`${names.size} receives it in Lagerverwaltung of BERLIN.`]);
  });
});

it('says where a broker id lives that another route names, and when a route has expired', () => {
  const decided = hop('PARIS', 'Ventes');
  const loss = { route: 'R', sentence: '' };
  expect(
    lossSentence(demoEstate(), decided, { ...loss, reason: 'broker-instance-differs', parameter: names.mirrorId }),
  ).toBe('It names another broker id: cccc…cc (LYON · Lagerbestand).');
  expect(
    lossSentence(demoEstate(), decided, { ...loss, reason: 'expired', parameter: Date.UTC(2024, 2, 31) / 1000 }),
  ).toBe('It has expired: 31 Mar 2024, 00:00:00 UTC.');
  expect(lossSentence(demoEstate(), decided, { ...loss, reason: 'later-step', parameter: 5 })).toBe(
    'It would match in step 5, and step 2 had ended the search.',
  );
});

describe('a missing route', () => {
  const [stuckHop] = undeliverable.legs[0]?.ways[0]?.hops ?? [];
  const formOf = (address: string | null) => Object.fromEntries(new URL(address ?? '', 'http://x').searchParams);

  it('is made in the table that lacks it, toward an instance that has the service', () => {
    expect(stuckHop && formOf(missingRouteAddress(demoEstate(), undeliverable, 'message', stuckHop))).toEqual({
      select: 'database/PARIS/Ventes',
      edit: 'add',
      for: names.size,
      to: 'TCP://berlin:4022',
    });
  });

  it('on the way back is one to the service that has asked, and LOCAL where that is', () => {
    const gate = hop('PARIS', 'msdb', { classification: 'dropped', match_step: 7, choose_step: null });
    expect(formOf(missingRouteAddress(demoEstate(), undeliverable, 'acknowledgement', gate))).toMatchObject({
      select: 'database/PARIS/msdb',
      for: names.orders,
      to: 'LOCAL',
    });
  });

  it('is none where a route decided, or where no table was read', () => {
    const [first] = there.hops;
    expect(first && missingRouteAddress(demoEstate(), told, 'message', first)).toBeNull();
    const barred = hop('PARIS', 'Ventes', { classification: 'delayed', match_step: null });
    expect(missingRouteAddress(demoEstate(), told, 'message', barred)).toBeNull();
  });
});
