import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';

import type { DatabasePath } from '@/topology/selection';

import { peekMessages } from './api/messages-peek';
import { receiveMessages } from './api/messages-receive';

export type QueuePath = DatabasePath & { queue: string };
export type QueueVerb = 'receive' | 'wait' | 'peek';
type QueueAction = { verb: QueueVerb; from: QueuePath; top: number; seconds: number };

/**
 * What one does with a queue by hand. `endsAt` says until when it waits for a message; leaving the page ends that too.
 */
export function useQueueAction(estate: string) {
  const waiting = useRef<AbortController | null>(null);
  const [endsAt, setEndsAt] = useState<number | null>(null);
  const stop = () => {
    waiting.current?.abort();
  };
  const act = useMutation({
    mutationFn: async ({ verb, from, top, seconds }: QueueAction) => {
      if (verb !== 'wait') {
        const ask = verb === 'receive' ? receiveMessages : peekMessages;
        return { verb, from, seconds, messages: (await ask(estate, from, from.queue, top)).messages, isStopped: false };
      }
      const patience = new AbortController();
      waiting.current = patience;
      setEndsAt(Date.now() + seconds * 1000);
      try {
        const answer = await receiveMessages(estate, from, from.queue, top, { seconds, signal: patience.signal });
        return { verb, from, seconds, messages: answer.messages, isStopped: false };
      } catch (error) {
        if (patience.signal.aborted) {
          return { verb, from, seconds, messages: [], isStopped: true };
        }
        throw error;
      } finally {
        setEndsAt(null);
      }
    },
  });
  useEffect(() => stop, []);
  return { act, endsAt, stop };
}
