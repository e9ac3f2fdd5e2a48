// Carries out what the connection's state machine decides: the socket, the timers, the page's own events. Messages
// are gathered and folded into the store at most four times a second, so that a busy estate costs few redraws.
import type { ServerMessage, TopologyMessage } from '@/contracts/live-messages';
import { parseServerMessage } from '@/contracts/guards';
import { type ConnectionEffect, type ConnectionInput, type ConnectionState, step } from '@/live/connection';
import { reduceLive, type LiveInput } from '@/live/reducer';

import { useLiveStore } from './live-store';
import { onSession, tellSession } from './session-events';

const foldMilliseconds = 250;

export type LiveSession = { stop: () => void };

type Timer = ReturnType<typeof setTimeout>;

class Session {
  private state: ConnectionState = { phase: 'idle' };
  private socket: WebSocket | null = null;
  private watchdog: Timer | undefined;
  private retry: Timer | undefined;
  private fold: Timer | undefined;
  private gathered: LiveInput[] = [];
  private readonly url: string;
  private readonly onTopology: (message: TopologyMessage) => void;

  constructor(url: string, onTopology: (message: TopologyMessage) => void) {
    this.url = url;
    this.onTopology = onTopology;
  }

  feed(input: ConnectionInput): void {
    const { state, effects } = step(this.state, input, Math.random());
    if (state.phase === 'connecting' && this.state.phase !== 'connecting') {
      this.gather({ type: 'connecting', estate: state.estate });
    }
    this.state = state;
    useLiveStore.setState({ connection: state });
    if (state.phase === 'refused' && state.reason === 'unauthenticated') {
      tellSession('ended');
    }
    effects.forEach((effect) => {
      this.obey(effect);
    });
  }

  end(): void {
    this.feed({ type: 'stop' });
    clearTimeout(this.fold);
    this.fold = undefined;
    this.gathered = [];
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
        this.socket?.send(JSON.stringify(effect.message));
        return;
      case 'arm-watchdog':
        clearTimeout(this.watchdog);
        this.watchdog = setTimeout(() => {
          this.feed({ type: 'silent' });
        }, effect.milliseconds);
        return;
      case 'disarm-watchdog':
        clearTimeout(this.watchdog);
        return;
      case 'arm-retry':
        this.retry = setTimeout(() => {
          this.feed({ type: 'retry' });
        }, effect.milliseconds);
        return;
      case 'disarm-retry':
        clearTimeout(this.retry);
    }
  }

  private open(): void {
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.onopen = () => {
      this.feed({ type: 'opened' });
    };
    socket.onclose = () => {
      this.feed({ type: 'closed' });
    };
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = typeof data === 'string' ? parseServerMessage(data) : null;
      if (message !== null) {
        this.receive(message);
      }
    };
  }

  /** Leaves the socket for good: what it says afterwards is nobody's business. */
  private close(): void {
    const socket = this.socket;
    this.socket = null;
    if (socket !== null) {
      socket.onopen = socket.onclose = socket.onmessage = null;
      socket.close();
    }
  }

  private receive(message: ServerMessage): void {
    this.gather({ type: 'message', message, at: Date.now() });
    this.feed({ type: 'received', message });
    if (message.type === 'topology') {
      this.onTopology(message);
    }
  }

  private gather(input: LiveInput): void {
    this.gathered.push(input);
    this.fold ??= setTimeout(() => {
      this.fold = undefined;
      const inputs = this.gathered;
      this.gathered = [];
      useLiveStore.setState(({ live }) => ({ live: inputs.reduce(reduceLive, live) }));
    }, foldMilliseconds);
  }
}

/** Opens the live connection of an estate and keeps it open until stopped. */
export function startLiveSession(estate: string, onTopology: (message: TopologyMessage) => void): LiveSession {
  const scheme = window.location.protocol === 'https:' ? 'wss' : 'ws';
  const session = new Session(`${scheme}://${window.location.host}/ws/live`, onTopology);
  const nudge = () => {
    session.feed({ type: 'nudged' });
  };
  window.addEventListener('online', nudge);
  window.addEventListener('focus', nudge);
  const stopListening = onSession((event) => {
    if (event === 'begun') {
      session.feed({ type: 'start', estate });
    }
  });
  session.feed({ type: 'start', estate });
  return {
    stop: () => {
      stopListening();
      window.removeEventListener('online', nudge);
      window.removeEventListener('focus', nudge);
      session.end();
    },
  };
}
