import { describe, expect, it } from 'vitest';

import { databaseView, instanceView } from '@/testing/demo-estate';

import { ageText, remainingText } from './age';
import { instanceHealth } from './health';
import { emptyLive, type LiveInstance, type LiveState } from './compose';
import { countNew, liveTables } from './rows';

const row = {
  conversation_handle: 'h1',
  to_service_name: 'B',
  to_broker_instance: null,
  from_service_name: 'A',
  service_contract_name: 'DEFAULT',
  enqueue_time: 0,
  message_sequence_number: 0,
  message_type_name: 'DEFAULT',
  is_conversation_error: false,
  is_end_of_dialog: false,
  message_body_bytes: 3,
  transmission_status: '',
  transmission_status_number: null,
  priority: 5,
};

function liveOf(view: LiveInstance['view']): LiveInstance {
  return { view, seenAt: 0, unavailable: null, isCurrent: true };
}

function stateOf(count: number): LiveState {
  const rows = Array.from({ length: count }, (_, index) => ({ ...row, message_sequence_number: index }));
  const database = databaseView('Ventes', { transmission_queue: rows, transmission_queue_total: count + 7 });
  return { ...emptyLive, instances: { PARIS: liveOf(instanceView('PARIS', { databases: [database] })) } };
}

describe('the live tables', () => {
  it('give every row its place and count also the rows that were not sent', () => {
    const tables = liveTables(stateOf(2));
    expect(tables.transmission.map(({ key, instance, database }) => ({ key, instance, database }))).toEqual([
      { key: 'PARIS/Ventes/h1/0', instance: 'PARIS', database: 'Ventes' },
      { key: 'PARIS/Ventes/h1/1', instance: 'PARIS', database: 'Ventes' },
    ]);
    expect(tables.totals.transmission).toBe(9);
  });

  it('count what came since a pause, and not what went', () => {
    expect(countNew(liveTables(stateOf(3)), liveTables(stateOf(5)))).toBe(2);
    expect(countNew(liveTables(stateOf(5)), liveTables(stateOf(3)))).toBe(0);
  });
});

describe('the health of an instance', () => {
  it('is unknown, not good, when nothing was heard', () => {
    expect(instanceHealth('PARIS', undefined).verdict).toBe('unknown');
    expect(instanceHealth('PARIS', { ...liveOf(null), unavailable: 'Its worker is down.' })).toEqual({
      verdict: 'unknown',
      text: 'PARIS does not answer: Its worker is down.',
    });
  });

  it('is lost when the endpoint is stopped', () => {
    expect(instanceHealth('PARIS', { ...liveOf(instanceView('PARIS')), isCurrent: false }).verdict).toBe('unknown');
    expect(instanceHealth('LYON', liveOf(instanceView('LYON', { endpoint_state: 'STOPPED' })))).toEqual({
      verdict: 'lost',
      text: 'LYON has its endpoint stopped',
    });
  });

  it('is delayed when a status holds messages, but not while they are merely on their way', () => {
    const waiting = (blocked: number) =>
      instanceHealth(
        'PARIS',
        liveOf(
          instanceView('PARIS', { databases: [databaseView('Ventes', { transmission_queue_total: 3, blocked })] }),
        ),
      );
    expect(waiting(1)).toMatchObject({ verdict: 'delayed' });
    expect(waiting(0)).toMatchObject({ verdict: 'delivered' });
  });
});

describe('ages', () => {
  it.each([
    [0, '0 s'],
    [-5, '0 s'],
    [59.9, '59 s'],
    [192, '3 m 12 s'],
    [7260, '2 h 1 m'],
    [200_000, '2 d 7 h'],
  ])('shows %s seconds as %s', (seconds, text) => {
    expect(ageText(seconds)).toBe(text);
  });

  it('shows the largest lifetime as one that never ends', () => {
    expect(remainingText(2_147_483_647)).toBe('never ends');
    expect(remainingText(0)).toBe('over');
  });
});
