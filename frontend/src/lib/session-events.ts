// Word of the login session, passed between those who notice that it ended, or that its person may do something else
// now, and those who begin it again.

export type SessionEvent = 'ended' | 'begun' | 'rights';

type Listener = (event: SessionEvent) => void;

const listeners = new Set<Listener>();

export function tellSession(event: SessionEvent): void {
  listeners.forEach((listener) => {
    listener(event);
  });
}

/** Returns what stops listening. */
export function onSession(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
