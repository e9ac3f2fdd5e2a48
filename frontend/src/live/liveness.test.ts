import { describe, expect, it } from 'vitest';

import { emptyLive, type LiveInstance } from './compose';
import { livenessOf, livenessWords, type Liveness, type Seen } from './liveness';
import { newTopic } from './streams';

const heard: LiveInstance = { view: null, seenAt: 0, unavailable: null, isCurrent: true };
const topic = { ...newTopic({ estate: 'demo', topic: 'instances', params: {} }, 1), isCurrent: true };

const ready: Seen = {
  connection: { phase: 'ready', failures: 0 },
  mode: 'live',
  isPolling: false,
  isPaused: false,
  topics: { one: topic },
  live: { ...emptyLive, instances: { PARIS: heard, LYON: heard } },
};
const waiting = { phase: 'waiting', failures: 3, retryMilliseconds: 500 } as const;

const states: [Liveness, string, Partial<Seen>][] = [
  ['live', 'everything that is followed has come', {}],
  ['catching-up', 'an instance was not heard of', { live: { ...emptyLive, instances: { PARIS: heard } } }],
  [
    'catching-up',
    'an instance was heard of on an earlier connection',
    { live: { ...emptyLive, instances: { PARIS: heard, LYON: { ...heard, isCurrent: false } } } },
  ],
  ['catching-up', 'a topic waits for its snapshot', { topics: { one: topic, other: { ...topic, isCurrent: false } } }],
  [
    'live',
    'a topic that is denied will not come',
    { topics: { one: { ...topic, isCurrent: false, denied: { code: 4422, reason: 'parameters', detail: '' } } } },
  ],
  ['reduced', 'the server says that this browser is slow', { mode: 'reduced' }],
  ['paused', 'somebody holds the tables still', { isPaused: true }],
  ['connecting', 'nothing has been tried yet', { connection: { phase: 'idle' } }],
  ['connecting', 'the first attempt is under way', { connection: { phase: 'connecting', failures: 0 } }],
  ['offline', 'the connection is lost', { connection: waiting }],
  ['offline', 'it is tried again', { connection: { phase: 'connecting', failures: 2 } }],
  ['polling', 'it answers over HTTP meanwhile', { connection: waiting, isPolling: true }],
  [
    'polling',
    'it answers over HTTP while the socket is tried again',
    { connection: { phase: 'connecting', failures: 4 }, isPolling: true },
  ],
  ['offline', 'a pause does not hide that the connection is lost', { connection: waiting, isPaused: true }],
  ['refused', 'the server has refused', { connection: { phase: 'refused', code: 4403, reason: 'forbidden' } }],
];

describe('the connection badge', () => {
  it.each(states)('says %s: %s', (liveness, _, more) => {
    expect(livenessOf({ ...ready, ...more }, ['PARIS', 'LYON'])).toBe(liveness);
  });

  it('has a word and a sentence for every state', () => {
    const all = [...new Set(states.map(([liveness]) => liveness))].map(livenessWords);
    expect(new Set(all.map(({ word }) => word)).size).toBe(8);
    expect(all.every(({ meaning }) => meaning.length > 20)).toBe(true);
  });
});
