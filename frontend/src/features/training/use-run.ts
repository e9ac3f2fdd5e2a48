import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';

import type { TrainingSession } from '@/contracts/api';

import { deedsOf, runQuery, trainingKeys, type Deeds } from './api/training';

/** Has something done in a run. */
export type Act = (act: (deeds: Deeds) => Promise<TrainingSession>) => void;

/** A run, and what one does in it: whatever is answered is what is shown. */
export function useRun(session: string) {
  const queries = useQueryClient();
  const run = useQuery(runQuery(session));
  const deeds = useMemo(() => deedsOf(session), [session]);
  const take = (told: TrainingSession) => {
    queries.setQueryData(trainingKeys.run(session), told);
    void queries.invalidateQueries({ queryKey: trainingKeys.catalogue() });
  };
  const deed = useMutation({
    mutationFn: (act: (all: Deeds) => Promise<TrainingSession>) => act(deeds),
    onSuccess: take,
  });
  return { run, deed };
}
