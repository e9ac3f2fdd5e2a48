import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { ClientMessage, ServerMessage } from '@/contracts/live-messages';
import { keyOf, type Wanted } from '@/live/streams';
import { timing } from '@/live/connection';
import { testServer } from '@/testing/server';

import { LiveSession, sessionTiming } from './live-session';
import { useLiveStore } from './live-store';
import { onSession, tellSession } from './session-events';

const server = testServer();

/** The other end of the socket: what the page has said, and what the test lets the server say. */
class FakeSocket {
  static all: FakeSocket[] = [];
  said: ClientMessage[] = [];
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  constructor() {
    FakeSocket.all.push(this);
  }
  send(text: string): void {
    this.said.push(JSON.parse(text) as ClientMessage);
  }
  close(): void {
    return undefined;
  }
  hear(...messages: ServerMessage[]): void {
    this.onmessage?.({ data: JSON.stringify(messages) });
  }
  welcome(): void {
    this.onopen?.();
    this.hear({ type: 'welcome', connection: 'c', server_time: 0, heartbeat_seconds: 5, ack_seconds: 1, protocol: 2 });
  }
  of<Type extends ClientMessage['type']>(type: Type): Extract<ClientMessage, { type: Type }>[] {
    return this.said.filter((message): message is Extract<ClientMessage, { type: Type }> => message.type === type);
  }
}

const queues: Wanted = { estate: 'demo', topic: 'queues', params: {} };
const snapshot = (stream: string, seq: number, total = 0): ServerMessage => ({
  type: 'snapshot',
  stream,
  seq,
  at: 0,
  events: {},
  columns: [],
  keys: [],
  rows: [],
  facts: { total },
});
const delta = (from: number, total: number): ServerMessage => ({
  type: 'delta',
  stream: 's',
  from,
  to: from,
  at: 0,
  events: {},
  ops: { facts: { total } },
});

let session: LiveSession;

function socket(): FakeSocket {
  const last = FakeSocket.all.at(-1);
  expect(last).toBeDefined();
  return last ?? new FakeSocket();
}

const topicNow = (wanted: Wanted = queues) => useLiveStore.getState().topics[keyOf(wanted)];

function open(): FakeSocket {
  session.follow(queues);
  socket().welcome();
  socket().hear({ type: 'subscribed', sub: 1, stream: 's', resumes: false }, snapshot('s', 3));
  vi.advanceTimersByTime(sessionTiming.foldMilliseconds);
  return socket();
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.spyOn(Math, 'random').mockReturnValue(0);
  FakeSocket.all = [];
  session = new LiveSession();
});

afterEach(() => {
  session.end();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('the connection of a tab', () => {
  it('says of every topic why it is refused, also of one that is opened later, until it is served again', () => {
    const server = open();
    server.hear({ type: 'refused', code: 4401, reason: 'unauthenticated' });
    const mirrors: Wanted = { estate: 'demo', topic: 'mirrors', params: {} };
    session.follow(mirrors);
    const denied = { code: 4401, reason: 'unauthenticated', detail: 'Nobody is logged in any more.' };
    expect(topicNow()).toMatchObject({ denied, isCurrent: false, seq: 3 });
    expect(topicNow(mirrors)).toMatchObject({ denied, seq: 0 });

    tellSession('begun');
    socket().welcome();
    socket().hear({ type: 'subscribed', sub: 1, stream: 's', resumes: true });
    vi.advanceTimersByTime(sessionTiming.foldMilliseconds);
    expect(topicNow()).toMatchObject({ denied: null, isCurrent: true });
  });

  it('passes on that the rights are others now, and goes on', () => {
    const heard: string[] = [];
    const stop = onSession((event) => heard.push(event));
    const server = open();
    server.hear({ type: 'rights' });
    server.hear(delta(4, 7));
    vi.advanceTimersByTime(sessionTiming.foldMilliseconds);
    stop();
    expect(heard).toEqual(['rights']);
    expect(topicNow()?.table.facts).toEqual({ total: 7 });
  });

  it('has one socket for all that is followed, and one subscription for what several components follow', () => {
    const one = open();
    session.follow(queues);
    session.follow({ ...queues, topic: 'mirrors' });
    expect(FakeSocket.all).toHaveLength(1);
    expect(one.of('sub').map(({ sub, topic }) => [sub, topic])).toEqual([
      [1, 'queues'],
      [2, 'mirrors'],
    ]);
    expect(topicNow()).toMatchObject({ seq: 3, isCurrent: true });
  });

  it('unsubscribes a moment after the last component has gone, and closes when nothing is followed', () => {
    const stops = [session.follow(queues), session.follow(queues)];
    socket().welcome();
    stops.forEach((stop) => {
      stop();
    });
    expect(socket().of('unsub')).toEqual([]);
    vi.advanceTimersByTime(sessionTiming.keepMilliseconds);
    expect(socket().of('unsub')).toEqual([{ type: 'unsub', sub: 1 }]);
    expect(useLiveStore.getState().connection.phase).toBe('idle');
  });

  it('acknowledges what it has folded once a second, and shows signs of life when there is nothing', () => {
    const one = open();
    vi.advanceTimersByTime(1000);
    expect(one.of('ack')).toEqual([{ type: 'ack', frames: 2 }]);
    one.hear(delta(4, 1));
    one.hear(delta(5, 2));
    vi.advanceTimersByTime(1000);
    expect(one.of('ack').at(-1)).toEqual({ type: 'ack', frames: 4 });
    vi.advanceTimersByTime(11_000);
    expect(one.of('ack')).toHaveLength(2);
    expect(one.of('hb').length).toBeGreaterThan(0);
  });

  it('asks for a snapshot when there is a gap, at most once in two seconds', () => {
    const one = open();
    for (const round of [1, 2, 3]) {
      one.hear(delta(9, round));
      vi.advanceTimersByTime(sessionTiming.foldMilliseconds);
      one.hear(snapshot('s', 3));
      vi.advanceTimersByTime(sessionTiming.foldMilliseconds);
    }
    expect(one.of('sub').slice(1)).toEqual([
      { type: 'sub', sub: 1, estate: 'demo', topic: 'queues', params: {}, cursor: null },
    ]);
    vi.advanceTimersByTime(sessionTiming.resyncMilliseconds);
    expect(one.of('sub').length).toBeGreaterThan(2);
  });

  it('goes on from its cursor when the connection is back', () => {
    open().onclose?.();
    expect(topicNow()).toMatchObject({ isCurrent: false, seq: 3 });
    vi.advanceTimersByTime(500);
    socket().welcome();
    expect(FakeSocket.all).toHaveLength(2);
    expect(socket().of('sub')[0]?.cursor).toEqual({ stream: 's', seq: 3 });
    socket().hear({ type: 'subscribed', sub: 1, stream: 's', resumes: true }, delta(4, 7));
    vi.advanceTimersByTime(sessionTiming.foldMilliseconds);
    expect(topicNow()).toMatchObject({ isCurrent: true, seq: 4, table: { facts: { total: 7 } } });
  });

  it('tries at once when the network comes back', () => {
    open().onclose?.();
    window.dispatchEvent(new Event('online'));
    expect(FakeSocket.all).toHaveLength(2);
  });

  it('polls after three failures, and stops when the socket is open again', async () => {
    server.on('GET', '/api/v1/estates/demo/live/queues', () => ({ body: snapshot('', 0, 42) }));
    session.follow(queues);
    for (let failures = 0; failures < 3; failures += 1) {
      socket().onclose?.();
      vi.advanceTimersByTime(500);
    }
    await vi.waitFor(() => {
      expect(useLiveStore.getState().isPolling).toBe(true);
    });
    expect(topicNow()).toMatchObject({ isCurrent: true, table: { facts: { total: 42 } } });
    socket().welcome();
    expect(useLiveStore.getState().isPolling).toBe(false);
    expect(topicNow()).toMatchObject({ isCurrent: false, table: { facts: { total: 42 } } });
    expect(socket().of('sub')[0]?.cursor).toBeNull();
  });

  it('tries the socket at once when the server answers a poll again, and not with every poll', async () => {
    let isAway = true;
    server.on('GET', '/api/v1/estates/demo/live/queues', () =>
      isAway ? { status: 503, body: {} } : { body: snapshot('', 0, 42) },
    );
    vi.spyOn(Math, 'random').mockReturnValue(1);
    session.follow(queues);
    for (let failures = 0; failures < 7; failures += 1) {
      socket().onclose?.();
      await vi.advanceTimersByTimeAsync(timing.backOffMillisecondsMax);
    }
    socket().onclose?.();
    const tried = FakeSocket.all.length;
    isAway = false;
    await vi.advanceTimersByTimeAsync(sessionTiming.pollMilliseconds);
    expect(useLiveStore.getState().isPolling).toBe(true);
    expect(FakeSocket.all).toHaveLength(tried + 1);
    socket().onclose?.();
    await vi.advanceTimersByTimeAsync(3 * sessionTiming.pollMilliseconds);
    expect(FakeSocket.all).toHaveLength(tried + 1);
  });

  it('follows nothing in a tab that nobody has seen for a minute, and goes on when somebody looks', () => {
    const one = open();
    const look = (state: DocumentVisibilityState) => {
      vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state);
      document.dispatchEvent(new Event('visibilitychange'));
    };
    look('hidden');
    for (let left = sessionTiming.hiddenMilliseconds - 1; left > 0; left -= 10_000) {
      one.hear({ type: 'hb', server_time: 0, streams: { s: 3 } });
      vi.advanceTimersByTime(Math.min(left, 10_000));
    }
    expect(one.of('unsub')).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(one.of('unsub')).toEqual([{ type: 'unsub', sub: 1 }]);
    look('visible');
    expect(FakeSocket.all.flatMap((each) => each.of('sub')).at(-1)?.cursor).toEqual({ stream: 's', seq: 3 });
  });

  it('leaves nothing behind that would happen after its end', () => {
    const stop = session.follow(queues);
    session.follow({ ...queues, topic: 'mirrors' });
    socket().welcome();
    socket().hear({ type: 'subscribed', sub: 2, stream: 's', resumes: false }, delta(9, 1));
    stop();
    socket().onclose?.();
    expect(vi.getTimerCount()).toBeGreaterThan(1);
    session.end();
    expect(vi.getTimerCount()).toBe(0);
    expect(useLiveStore.getState().topics).toEqual({});
  });

  it('tells in which mode it is served', () => {
    open().hear({ type: 'mode', mode: 'reduced', reason: 'slow' });
    expect(useLiveStore.getState().mode).toBe('reduced');
    socket().hear({ type: 'mode', mode: 'live', reason: '' });
    expect(useLiveStore.getState().mode).toBe('live');
  });
});
