import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';

import { asProblem, isAnswer } from '@/lib/errors';
import { keys } from '@/lib/query-client';

/**
 * A change to the estate. `run` gets a key that stays the same as long as nobody answers, so that asking again finds
 * what has happened; after a refusal it is a new one.
 */
export function useChange<Answer>(
  estate: string,
  run: (key: string) => Promise<Answer>,
  onDone: (answer: Answer) => void,
) {
  const queries = useQueryClient();
  const key = useRef(crypto.randomUUID());
  return useMutation({
    mutationFn: () => run(key.current),
    onSuccess: onDone,
    onError: (error) => {
      if (isAnswer(asProblem(error))) {
        key.current = crypto.randomUUID();
      }
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: keys.topology(estate) }),
        queries.invalidateQueries({ queryKey: keys.backups(estate) }),
      ]),
  });
}
