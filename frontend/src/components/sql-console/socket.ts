// The socket of one session: it opens, greets, acknowledges what was taken, and tells what comes. It never opens anew by
// itself: a session that is gone has taken its transaction and its database with it, and the reader is to know.
import {
  parseConsoleFrame,
  type CompletionOption,
  type ConsoleMessage,
  type ConsoleRequest,
} from '@/contracts/console-messages';
import { i18n } from '@/i18n';
import { tellSession } from '@/lib/session-events';

export type Place = { estate: string; instance: string; database: string };

type Listener = { heard: (message: ConsoleMessage) => void; closed: () => void };

export type Completion = { beginsAt: number; options: readonly CompletionOption[] };

const signOfLifeMilliseconds = 10_000;

export class ConsoleSocket {
  private readonly socket: WebSocket;
  private readonly completions = new Map<number, (completion: Completion | null) => void>();
  private frames = 0;
  private nextId = 1;
  private readonly beat: number;
  private readonly listener: Listener;

  constructor(place: Place, listener: Listener) {
    this.listener = listener;
    const scheme = window.location.protocol === 'https:' ? 'wss' : 'ws';
    this.socket = new WebSocket(`${scheme}://${window.location.host}/ws/console`);
    this.socket.onopen = () => {
      this.say({ type: 'hello', protocol: 1, ...place, language: i18n.language });
    };
    this.socket.onclose = () => {
      this.stop();
      listener.closed();
    };
    this.socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'string') {
        this.take(data);
      }
    };
    this.beat = window.setInterval(() => {
      this.say({ type: 'hb' });
    }, signOfLifeMilliseconds);
  }

  /** Runs a script; the answer is the number under which its outputs come. */
  run(script: string): number {
    const id = this.nextId++;
    this.say({ type: 'run', id, script });
    return id;
  }

  cancel(id: number): void {
    this.say({ type: 'cancel', id });
  }

  async complete(script: string, position: number): Promise<Completion | null> {
    const id = this.nextId++;
    return new Promise((resolve) => {
      this.completions.set(id, resolve);
      if (!this.say({ type: 'complete', id, script, position })) {
        this.completions.delete(id);
        resolve(null);
      }
    });
  }

  /** Leaves for good: the server rolls back what is open. */
  close(): void {
    this.socket.onopen = this.socket.onclose = this.socket.onmessage = null;
    this.stop();
    this.socket.close();
  }

  private stop(): void {
    window.clearInterval(this.beat);
    this.completions.forEach((resolve) => {
      resolve(null);
    });
    this.completions.clear();
  }

  private take(frame: string): void {
    for (const message of parseConsoleFrame(frame)) {
      if (message.type === 'completion') {
        this.completions.get(message.id)?.({ beginsAt: message.begins_at, options: message.options });
        this.completions.delete(message.id);
      } else {
        if (message.type === 'denied') {
          this.completions.get(message.id)?.(null);
          this.completions.delete(message.id);
        }
        if (message.type === 'refused' && message.reason === 'unauthenticated') {
          tellSession('ended');
        }
        this.listener.heard(message);
      }
    }
    this.frames += 1;
    this.say({ type: 'ack', frames: this.frames });
  }

  /** False where nobody hears it. */
  private say(request: ConsoleRequest): boolean {
    const isOpen = this.socket.readyState === WebSocket.OPEN;
    if (isOpen) {
      this.socket.send(JSON.stringify(request));
    }
    return isOpen;
  }
}
