// What is held of each topic, and what a message makes of it. A message that does not fit what is held says so: the
// session then asks for a snapshot.
import type { Cursor, ServerMessage, Topic, TopicParams } from '@/contracts/live-messages';

import { emptyTable, fold, tableOf, type Table } from './tables';

/** What is subscribed to; equal ones have equal keys. */
export type Wanted = { estate: string; topic: Topic; params: TopicParams };

export type Denial = { code: number; reason: string; detail: string };

export type TopicState = Wanted & {
  /** The number of the subscription on the wire. */
  sub: number;
  /** The stream that serves it; empty before the server has said. */
  stream: string;
  seq: number;
  table: Table;
  /** Whether the table is what the server has told so far on the connection that is open now, or by the last poll. */
  isCurrent: boolean;
  /** Whether a snapshot was asked for: what does not fit is no surprise until it is there. */
  awaitsSnapshot: boolean;
  /** Milliseconds since 1970 by this browser's clock when the table was last known to be so; null before the first. */
  seenAt: number | null;
  denied: Denial | null;
};

export type Topics = Readonly<Record<string, TopicState>>;

export function keyOf({ estate, topic, params }: Wanted): string {
  const entries = Object.entries(params).toSorted(([one], [other]) => one.localeCompare(other));
  return JSON.stringify([estate, topic, entries]);
}

export function newTopic(wanted: Wanted, sub: number): TopicState {
  return {
    ...wanted,
    sub,
    stream: '',
    seq: 0,
    table: emptyTable,
    isCurrent: false,
    awaitsSnapshot: true,
    seenAt: null,
    denied: null,
  };
}

/** From where the server may go on; null when there is nothing to go on from. */
export function cursorOf({ stream, seq }: TopicState): Cursor | null {
  return stream === '' || seq === 0 ? null : { stream, seq };
}

/** The connection is gone: what is held stays on show, as old. */
export function lose(topics: Topics): Topics {
  return mapTopics(topics, (topic) => ({ ...topic, isCurrent: false, awaitsSnapshot: true }));
}

/** The server serves this page nothing more: what is held stays on show, as old, and each topic knows why. */
export function refuse(topics: Topics, denied: Denial): Topics {
  return mapTopics(lose(topics), (topic) => ({ ...topic, denied }));
}

export type Folded = { topics: Topics; /** Keys of topics that need a snapshot. */ lost: readonly string[] };

/** Folds a message into whatever it is about; `at` is this browser's time in milliseconds. */
export function take(topics: Topics, message: ServerMessage, at: number): Folded {
  switch (message.type) {
    case 'subscribed': {
      const { sub, stream, resumes } = message;
      const change = (topic: TopicState): TopicState => ({
        ...topic,
        stream,
        isCurrent: resumes,
        awaitsSnapshot: !resumes,
        seenAt: resumes ? at : topic.seenAt,
        denied: null,
      });
      return { topics: mapTopics(topics, change, (topic) => topic.sub === sub), lost: [] };
    }
    case 'snapshot': {
      const change = (topic: TopicState): TopicState => ({
        ...topic,
        seq: message.seq,
        table: tableOf(message),
        isCurrent: true,
        awaitsSnapshot: false,
        seenAt: at,
      });
      return { topics: mapTopics(topics, change, (topic) => topic.stream === message.stream), lost: [] };
    }
    case 'delta':
      return takeDelta(topics, message, at);
    case 'hb':
      return takeHeartbeat(topics, message.streams, at);
    case 'resync':
      return {
        topics: mapTopics(
          topics,
          (topic) => ({ ...topic, isCurrent: false, awaitsSnapshot: true }),
          ({ stream }) => stream === message.stream,
        ),
        lost: [],
      };
    case 'denied': {
      const { code, reason, detail } = message;
      const change = (topic: TopicState): TopicState => ({
        ...topic,
        isCurrent: false,
        denied: { code, reason, detail },
      });
      return { topics: mapTopics(topics, change, (topic) => topic.sub === message.sub), lost: [] };
    }
    case 'welcome':
    case 'mode':
    case 'rights':
    case 'refused':
      return { topics, lost: [] };
  }
}

function takeDelta(topics: Topics, delta: Extract<ServerMessage, { type: 'delta' }>, at: number): Folded {
  const lost: string[] = [];
  const after = Object.entries(topics).map(([key, topic]): [string, TopicState] => {
    if (topic.stream !== delta.stream || topic.awaitsSnapshot) {
      return [key, topic];
    }
    if (delta.from !== topic.seq + 1) {
      lost.push(key);
      return [key, { ...topic, isCurrent: false }];
    }
    return [key, { ...topic, seq: delta.to, table: fold(topic.table, delta.ops), isCurrent: true, seenAt: at }];
  });
  return { topics: Object.fromEntries(after), lost };
}

/**
 * The last deltas before a silence may be lost, and no later one would show it: the heartbeat says how far all should
 * be.
 */
function takeHeartbeat(topics: Topics, streams: Readonly<Record<string, number>>, at: number): Folded {
  const lost = Object.entries(topics)
    .filter(
      ([, { stream, seq, awaitsSnapshot }]) =>
        !awaitsSnapshot && streams[stream] !== undefined && streams[stream] !== seq,
    )
    .map(([key]) => key);
  const change = (topic: TopicState): TopicState => {
    const isThere = streams[topic.stream] === topic.seq;
    return topic.awaitsSnapshot || streams[topic.stream] === undefined
      ? topic
      : { ...topic, isCurrent: isThere, seenAt: isThere ? at : topic.seenAt };
  };
  return { topics: mapTopics(topics, change), lost };
}

function mapTopics(
  topics: Topics,
  change: (topic: TopicState) => TopicState,
  isMeant: (topic: TopicState) => boolean = () => true,
): Topics {
  return Object.fromEntries(
    Object.entries(topics).map(([key, topic]) => [key, isMeant(topic) ? change(topic) : topic]),
  );
}
