import { describe, expect, it } from 'vitest';

import type { ServerMessage, SnapshotMessage } from '@/contracts/live-messages';

import { cursorOf, keyOf, lose, newTopic, take, type Topics, type TopicState } from './streams';

const wanted = { estate: 'demo', topic: 'queues', params: { rows: 5, instances: ['PARIS'] } } as const;
const key = keyOf(wanted);

const subscribed = (resumes = false): ServerMessage => ({ type: 'subscribed', sub: 1, stream: 's', resumes });
const snapshot = (seq: number, total = 0): SnapshotMessage => ({
  type: 'snapshot',
  stream: 's',
  seq,
  at: 0,
  events: {},
  columns: [],
  keys: [],
  rows: [],
  facts: { total },
});
const delta = (from: number, to: number, total: number): ServerMessage => ({
  type: 'delta',
  stream: 's',
  from,
  to,
  at: 0,
  events: {},
  ops: { facts: { total } },
});

function run(...messages: ServerMessage[]): { topic: TopicState; lost: readonly string[] } {
  let topics: Topics = { [key]: newTopic(wanted, 1) };
  const lost: string[] = [];
  messages.forEach((message, at) => {
    const folded = take(topics, message, at);
    topics = folded.topics;
    lost.push(...folded.lost);
  });
  return { topic: topics[key] ?? newTopic(wanted, 0), lost };
}

describe('a topic', () => {
  it('has one key however its parameters are written', () => {
    expect(keyOf({ ...wanted, params: { instances: ['PARIS'], rows: 5 } })).toBe(key);
    expect(keyOf({ ...wanted, params: { instances: ['LYON'], rows: 5 } })).not.toBe(key);
  });

  it('begins with a snapshot and goes on with deltas that fit', () => {
    const { topic, lost } = run(subscribed(), snapshot(3), delta(4, 6, 1), delta(7, 7, 2));
    expect(topic).toMatchObject({ seq: 7, isCurrent: true, table: { facts: { total: 2 } }, seenAt: 3 });
    expect(lost).toEqual([]);
  });

  it('notices a gap, keeps what it holds and asks for a snapshot', () => {
    const { topic, lost } = run(subscribed(), snapshot(3), delta(5, 5, 1));
    expect(topic).toMatchObject({ seq: 3, isCurrent: false, table: { facts: { total: 0 } } });
    expect(lost).toEqual([key]);
  });

  it('hears that what is held is still so, and keeps it as it is', () => {
    const before = run(subscribed(), snapshot(3)).topic;
    const still: ServerMessage = { type: 'delta', stream: 's', from: 4, to: 3, at: 2, events: { A: 9 }, ops: {} };
    const { topic, lost } = run(subscribed(), snapshot(3), still, delta(4, 4, 1));
    expect(lost).toEqual([]);
    expect(topic.seq).toBe(4);
    const after = take({ [key]: before }, still, 99).topics[key];
    expect(after).toMatchObject({ seq: 3, isCurrent: true, seenAt: 99 });
    expect(after?.table).toBe(before.table);
  });

  it('notices by the heartbeat that the last deltas were lost', () => {
    expect(run(subscribed(), snapshot(3), { type: 'hb', server_time: 0, streams: { s: 3 } })).toMatchObject({
      lost: [],
      topic: { seenAt: 2 },
    });
    expect(run(subscribed(), snapshot(3), { type: 'hb', server_time: 0, streams: { s: 4 } }).lost).toEqual([key]);
  });

  it('takes no delta while it waits for a snapshot', () => {
    const { topic, lost } = run(
      subscribed(),
      snapshot(3),
      { type: 'resync', stream: 's', reason: 'too-many-changes' },
      delta(4, 4, 9),
      snapshot(8, 5),
    );
    expect(topic).toMatchObject({ seq: 8, isCurrent: true, table: { facts: { total: 5 } } });
    expect(lost).toEqual([]);
  });

  it('goes on from its cursor on a new connection', () => {
    const { topic } = run(subscribed(), snapshot(3));
    expect(cursorOf(topic)).toEqual({ stream: 's', seq: 3 });
    const old = lose({ [key]: topic });
    expect(old[key]).toMatchObject({ isCurrent: false, seq: 3, table: topic.table });
    const resumed = take(take(old, subscribed(true), 9).topics, delta(4, 4, 1), 10).topics;
    expect(resumed[key]).toMatchObject({ isCurrent: true, seq: 4, table: { facts: { total: 1 } } });
  });

  it('has no cursor before it has a table', () => {
    expect(cursorOf(newTopic(wanted, 1))).toBeNull();
  });

  it('is denied with a number, and heard of again when it is granted', () => {
    const denied = run({
      type: 'denied',
      sub: 1,
      code: 4404,
      reason: 'unknown-estate',
      detail: 'There is no estate demo.',
    });
    expect(denied.topic).toMatchObject({ isCurrent: false, denied: { code: 4404, reason: 'unknown-estate' } });
    expect(take({ [key]: denied.topic }, subscribed(), 1).topics[key]?.denied).toBeNull();
  });

  it('does not hear of streams that are not its own', () => {
    const { topic } = run(subscribed(), snapshot(3), { ...snapshot(9, 9), stream: 'other' });
    expect(topic.seq).toBe(3);
  });
});
