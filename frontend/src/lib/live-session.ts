// The live connection of this tab: one socket for all that is followed. It carries out what the connection's state
// machine decides (the socket, the timers, the page's own events), and folds what comes by a clock.
import { parseFrame } from '@/contracts/guards';
import type { ClientMessage, ServerMessage } from '@/contracts/live-messages';
import { compose } from '@/live/compose';
import {
  isPollingTime,
  step,
  type ConnectionEffect,
  type ConnectionInput,
  type ConnectionState,
} from '@/live/connection';
import { denialOf } from '@/live/liveness';
import { cursorOf, keyOf, lose, newTopic, refuse, take, type Topics, type Wanted } from '@/live/streams';

import { pollTopic } from './live-polling';
import { useLiveStore } from './live-store';
import { onSession, tellSession } from './session-events';
import { Timers } from './timers';

export const sessionTiming = {
  foldMilliseconds: 100,
  heartbeatMilliseconds: 10_000,
  /** A topic is asked for anew at most so often. */
  resyncMilliseconds: 2000,
  pollMilliseconds: 5000,
  /** A tab that nobody sees follows nothing after so long. */
  hiddenMilliseconds: 60_000,
  /** From one page to the next what both follow is kept. */
  keepMilliseconds: 5000,
} as const;

type TimerName = 'watchdog' | 'retry' | 'fold' | 'hidden' | 'ack' | 'poll';

export class LiveSession {
  private state: ConnectionState = { phase: 'idle' };
  private socket: WebSocket | null = null;
  private readonly timers = new Timers<TimerName>();
  private gathered: ServerMessage[] = [];
  private frames = { received: 0, folded: 0, acked: 0 };
  private saidAt = 0;
  private nextSub = 1;
  private isSuspended = false;
  private listening: AbortController | null = null;
  private readonly users = new Map<string, number>();
  private readonly askedAt = new Map<string, number>();
  private isAsking = false;
  private estate: string | null = null;

  /** Follow a topic until the answer is called; whoever follows the same shares it. */
  follow(wanted: Wanted): () => void {
    const key = keyOf(wanted);
    this.users.set(key, (this.users.get(key) ?? 0) + 1);
    if (useLiveStore.getState().topics[key] === undefined) {
      const topic = { ...newTopic(wanted, this.nextSub++), denied: denialOf(this.state) };
      this.setTopics((topics) => ({ ...topics, [key]: topic }));
      this.subscribe(key);
    }
    this.begin();
    let isOver = false;
    return () => {
      if (!isOver) {
        isOver = true;
        this.users.set(key, (this.users.get(key) ?? 1) - 1);
        this.timers.later(sessionTiming.keepMilliseconds, () => {
          this.drop(key);
        });
      }
    };
  }

  /** The estate whose pages are open: what `live` of the store is put together for. */
  show(estate: string): void {
    this.estate = estate;
    this.setTopics((topics) => topics);
  }

  /** Close for good, and forget all. */
  end(): void {
    this.listening?.abort();
    this.listening = null;
    this.feed({ type: 'stop' });
    this.timers.end();
    this.gathered = [];
    this.users.clear();
    this.setTopics(() => ({}));
  }

  feed(input: ConnectionInput): void {
    const { state, effects } = step(this.state, input, Math.random());
    const wasReady = this.state.phase === 'ready';
    this.state = state;
    if (wasReady && state.phase !== 'ready') {
      this.gathered = [];
      this.setTopics(lose);
    }
    const denied = denialOf(state);
    if (denied !== null) {
      this.setTopics((topics) => refuse(topics, denied));
    }
    useLiveStore.setState({ connection: state, ...(state.phase === 'ready' ? { isPolling: false } : {}) });
    if (state.phase === 'refused' && state.reason === 'unauthenticated') {
      tellSession('ended');
    }
    effects.forEach((effect) => {
      this.obey(effect);
    });
    this.pollWhenDue();
  }

  // ── the socket ─────────────────────────────────────────────────────────────────────────────────────────────────
  private begin(): void {
    if (this.listening === null) {
      this.listening = new AbortController();
      this.listenToPage(this.listening.signal);
    }
    if (this.state.phase === 'idle') {
      this.feed({ type: 'start' });
    }
  }

  private listenToPage(signal: AbortSignal): void {
    const nudge = () => {
      this.feed({ type: 'nudged' });
    };
    window.addEventListener('online', nudge, { signal });
    window.addEventListener('focus', nudge, { signal });
    const look = () => {
      this.setVisible(document.visibilityState === 'visible');
    };
    document.addEventListener('visibilitychange', look, { signal });
    const stop = onSession((event) => {
      if (event === 'begun' && this.users.size > 0) {
        this.feed({ type: 'start' });
      }
    });
    signal.addEventListener('abort', stop);
  }

  private obey(effect: ConnectionEffect): void {
    switch (effect.type) {
      case 'open':
        this.open();
        return;
      case 'close':
        this.close();
        return;
      case 'send':
        this.say(effect.message);
        return;
      case 'subscribe':
        this.subscribeAll();
        return;
      case 'arm-watchdog':
        this.timers.arm('watchdog', effect.milliseconds, () => {
          this.feed({ type: 'silent' });
        });
        return;
      case 'disarm-watchdog':
        this.timers.disarm('watchdog');
        return;
      case 'arm-retry':
        this.timers.arm('retry', effect.milliseconds, () => {
          this.feed({ type: 'retry' });
        });
        return;
      case 'disarm-retry':
        this.timers.disarm('retry');
    }
  }

  private open(): void {
    const scheme = window.location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${window.location.host}/ws/live`);
    this.socket = socket;
    this.frames = { received: 0, folded: 0, acked: 0 };
    useLiveStore.setState({ mode: 'live' });
    socket.onopen = () => {
      this.feed({ type: 'opened' });
    };
    socket.onclose = () => {
      this.feed({ type: 'closed' });
    };
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'string') {
        this.receive(data);
      }
    };
  }

  /** Leaves the socket for good: what it says afterwards is nobody's business. */
  private close(): void {
    const socket = this.socket;
    this.socket = null;
    this.timers.disarm('ack');
    if (socket !== null) {
      socket.onopen = socket.onclose = socket.onmessage = null;
      socket.close();
    }
  }

  private say(message: ClientMessage): void {
    this.saidAt = Date.now();
    this.socket?.send(JSON.stringify(message));
  }

  // ── what comes ─────────────────────────────────────────────────────────────────────────────────────────────────
  private receive(frame: string): void {
    this.frames.received += 1;
    for (const message of parseFrame(frame)) {
      if (message.type === 'welcome') {
        this.acknowledge(message.ack_seconds * 1000);
      }
      if (message.type === 'mode') {
        useLiveStore.setState({ mode: message.mode });
      }
      if (message.type === 'rights') {
        tellSession('rights');
      }
      this.gathered.push(message);
      this.feed({ type: 'received', message });
    }
    if (!this.timers.isArmed('fold')) {
      this.timers.arm('fold', sessionTiming.foldMilliseconds, () => {
        this.fold();
      });
    }
  }

  private fold(): void {
    const messages = this.gathered;
    this.gathered = [];
    this.frames.folded = this.frames.received;
    const at = Date.now();
    const lost = new Set<string>();
    this.setTopics((topics) =>
      messages.reduce((before, message) => {
        const folded = take(before, message, at);
        folded.lost.forEach((key) => lost.add(key));
        return folded.topics;
      }, topics),
    );
    const clock = messages.findLast((message) => message.type === 'hb' || message.type === 'welcome');
    if (clock !== undefined && 'server_time' in clock) {
      useLiveStore.setState({ clockAheadMilliseconds: Math.round(clock.server_time * 1000 - at) });
    }
    lost.forEach((key) => {
      this.resync(key);
    });
  }

  /** Once a second: what has been folded; and a sign of life where there is nothing to acknowledge. */
  private acknowledge(milliseconds: number): void {
    this.timers.arm('ack', milliseconds, () => {
      if (this.frames.folded > this.frames.acked) {
        this.frames.acked = this.frames.folded;
        this.say({ type: 'ack', frames: this.frames.acked });
      } else if (Date.now() - this.saidAt >= sessionTiming.heartbeatMilliseconds) {
        this.say({ type: 'hb' });
      }
      this.acknowledge(milliseconds);
    });
  }

  private setTopics(change: (topics: Topics) => Topics): void {
    useLiveStore.setState(({ topics, live, clockAheadMilliseconds }) => {
      const after = change(topics);
      return { topics: after, live: this.estate === null ? live : compose(this.estate, after, clockAheadMilliseconds) };
    });
  }

  // ── what is asked ──────────────────────────────────────────────────────────────────────────────────────────────
  private subscribe(key: string, isAfresh = false): void {
    const topic = useLiveStore.getState().topics[key];
    if (topic === undefined || this.state.phase !== 'ready' || this.isSuspended) {
      return;
    }
    const { sub, estate, topic: name, params } = topic;
    this.say({ type: 'sub', sub, estate, topic: name, params, cursor: isAfresh ? null : cursorOf(topic) });
  }

  private subscribeAll(): void {
    // What was polled meanwhile is seconds old: it is not live before the server has told what came since.
    this.setTopics(lose);
    Object.keys(useLiveStore.getState().topics).forEach((key) => {
      this.subscribe(key);
    });
  }

  /** Ask for a snapshot of what does not fit any more, at most every two seconds. */
  private resync(key: string): void {
    const wait = (this.askedAt.get(key) ?? 0) + sessionTiming.resyncMilliseconds - Date.now();
    const ask = () => {
      this.askedAt.set(key, Date.now());
      this.subscribe(key, true);
    };
    this.setTopics((topics) => {
      const topic = topics[key];
      return topic === undefined ? topics : { ...topics, [key]: { ...topic, awaitsSnapshot: true } };
    });
    if (wait <= 0) {
      ask();
    } else {
      this.timers.later(wait, ask);
    }
  }

  private drop(key: string): void {
    if ((this.users.get(key) ?? 0) > 0) {
      return;
    }
    this.users.delete(key);
    const topic = useLiveStore.getState().topics[key];
    if (topic !== undefined) {
      if (this.state.phase === 'ready' && !this.isSuspended) {
        this.say({ type: 'unsub', sub: topic.sub });
      }
      this.setTopics((topics) => Object.fromEntries(Object.entries(topics).filter(([each]) => each !== key)));
    }
    if (this.users.size === 0) {
      this.feed({ type: 'stop' });
    }
  }

  // ── a tab that nobody sees, a socket that does not open ────────────────────────────────────────────────────────
  private setVisible(isVisible: boolean): void {
    this.timers.disarm('hidden');
    if (isVisible) {
      if (this.isSuspended) {
        this.isSuspended = false;
        this.subscribeAll();
      }
      this.feed({ type: 'nudged' });
      return;
    }
    this.timers.arm('hidden', sessionTiming.hiddenMilliseconds, () => {
      if (this.state.phase === 'ready') {
        for (const { sub } of Object.values(useLiveStore.getState().topics)) {
          this.say({ type: 'unsub', sub });
        }
      }
      this.isSuspended = true;
      this.setTopics(lose);
    });
  }

  private pollWhenDue(): void {
    if (!isPollingTime(this.state)) {
      this.timers.disarm('poll');
    } else if (!this.isAsking && !this.timers.isArmed('poll')) {
      void this.poll();
    }
  }

  private async poll(): Promise<void> {
    this.isAsking = true;
    const asked = Object.entries(useLiveStore.getState().topics);
    const answers = await Promise.allSettled(asked.map(async ([, topic]) => pollTopic(topic)));
    this.isAsking = false;
    if (!isPollingTime(this.state)) {
      return;
    }
    const at = Date.now();
    const isAnswered = answers.some(({ status }) => status === 'fulfilled');
    this.setTopics((topics) => {
      const after = { ...topics };
      asked.forEach(([key], place) => {
        const answer = answers[place];
        const topic = after[key];
        if (topic !== undefined && answer?.status === 'fulfilled') {
          const { columns, keys, rows, facts } = answer.value;
          // It leads nowhere: the next subscription begins with a snapshot.
          after[key] = {
            ...topic,
            stream: '',
            seq: 1,
            table: { columns, keys, rows, facts },
            isCurrent: true,
            seenAt: at,
          };
        } else if (topic !== undefined) {
          after[key] = { ...topic, isCurrent: false };
        }
      });
      return after;
    });
    const isBack = isAnswered && !useLiveStore.getState().isPolling;
    useLiveStore.setState({ isPolling: isAnswered });
    if (isBack) {
      // Whoever answers again is likely to take a socket again: no waiting for the end of a long pause.
      this.feed({ type: 'nudged' });
    }
    this.timers.arm('poll', sessionTiming.pollMilliseconds, () => {
      this.pollWhenDue();
    });
  }
}

/** The connection of this tab. */
export const liveSession = new LiveSession();
