import { useCallback, useEffect, useReducer, useRef, useState } from 'react';

import type { ConsoleMessage } from '@/contracts/console-messages';

import { Gathered } from './gathered';
import { after, isRunning, newSession, type Session } from './session';
import { ConsoleSocket, type Completion, type Place } from './socket';

export type SessionHandle = {
  session: Session;
  /** `firstLine` is the line of the editor on which the script begins. */
  run: (script: string, firstLine: number) => void;
  cancel: () => void;
  complete: (script: string, position: number) => Promise<Completion | null>;
  /** A new session in the place of one that is gone. */
  connect: () => void;
};

/** One session on a database for as long as the page shows it; another database is another session. */
export function useSession({ estate, instance, database }: Place): SessionHandle {
  const [session, dispatch] = useReducer(after, database, newSession);
  const [attempt, setAttempt] = useState(0);
  const socket = useRef<ConsoleSocket | null>(null);

  useEffect(() => {
    dispatch({ type: 'opening', database });
    const heard = new Gathered<ConsoleMessage>((messages) => {
      for (const message of messages) {
        dispatch({ type: 'heard', message });
      }
    });
    const opened = new ConsoleSocket(
      { estate, instance, database },
      {
        heard: (message) => {
          heard.add(message);
        },
        closed: () => {
          heard.pass();
          dispatch({ type: 'closed' });
        },
      },
    );
    socket.current = opened;
    return () => {
      opened.close();
      heard.drop();
      socket.current = null;
    };
  }, [estate, instance, database, attempt]);

  const isBusy = session.phase !== 'ready' || isRunning(session);
  const run = useCallback(
    (script: string, firstLine: number) => {
      if (!isBusy && socket.current !== null) {
        dispatch({ type: 'ran', id: socket.current.run(script), firstLine });
      }
    },
    [isBusy],
  );
  const running = isRunning(session) ? (session.run?.id ?? null) : null;
  const cancel = useCallback(() => {
    if (running !== null) {
      socket.current?.cancel(running);
      dispatch({ type: 'cancelled' });
    }
  }, [running]);
  const complete = useCallback(
    async (script: string, position: number) => socket.current?.complete(script, position) ?? null,
    [],
  );
  const connect = useCallback(() => {
    setAttempt((count) => count + 1);
  }, []);
  return { session, run, cancel, complete, connect };
}
