import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';

import { useMissingRight } from '@/hooks/use-rights';
import { estatesQuery } from '@/lib/api/estates-list';
import { samplesQuery } from '@/lib/api/samples-list';
import { tellProblem } from '@/lib/notices';
import { keys } from '@/lib/query-client';

import { loadSample } from './api/sample-load';

/** The tour of the sample that comes with the product, which is loaded first where it is not there. */
export function useTour(): { begin: () => void; isLoading: boolean; missing: string | null } {
  const missing = useMissingRight('edit');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data: samples = [] } = useQuery(samplesQuery);
  const { data: estates = [] } = useQuery(estatesQuery);
  const sample = samples[0]?.name;
  const isThere = estates.some(({ name }) => name === sample);
  const open = (estate: string) => void navigate(`/estates/${encodeURIComponent(estate)}/topology?tour=1`);
  const load = useMutation({
    mutationFn: loadSample,
    onSuccess: async ({ estate }) => {
      await queries.invalidateQueries({ queryKey: keys.estates });
      open(estate);
    },
    onError: tellProblem,
  });
  return {
    begin: () => {
      if (sample !== undefined && isThere) {
        open(sample);
      } else if (sample !== undefined && missing === null) {
        load.mutate(sample);
      }
    },
    isLoading: load.isPending,
    missing: isThere ? null : missing,
  };
}
