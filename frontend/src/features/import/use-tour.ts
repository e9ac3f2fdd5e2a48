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
  const { data: samples } = useQuery(samplesQuery);
  const { data: estates } = useQuery(estatesQuery);
  const isThere = estates?.some(({ name }) => name === samples?.[0]?.name) ?? true;
  // A click may come before the lists do: it waits for them.
  const tour = useMutation({
    mutationFn: async () => {
      const [sample] = await queries.query({ ...samplesQuery, staleTime: 'static' });
      const known = await queries.query({ ...estatesQuery, staleTime: 'static' });
      if (sample === undefined || known.some(({ name }) => name === sample.name)) {
        return sample?.name;
      }
      const { estate } = await loadSample(sample.name);
      await queries.invalidateQueries({ queryKey: keys.estates });
      return estate;
    },
    onSuccess: (estate) => {
      if (estate !== undefined) {
        void navigate(`/estates/${encodeURIComponent(estate)}/topology?tour=1`);
      }
    },
    onError: tellProblem,
  });
  return {
    begin: () => {
      if (isThere || missing === null) {
        tour.mutate();
      }
    },
    isLoading: tour.isPending,
    missing: isThere ? null : missing,
  };
}
