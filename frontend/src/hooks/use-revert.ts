import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';

import { revertRevision } from '@/lib/api/revision-revert';
import { tellProblem } from '@/lib/notices';
import { refreshEstate } from '@/lib/refresh';

/** Makes the draft that takes a revision back, and goes to its review. */
export function useRevert(estate: string) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (revision: number) => revertRevision(estate, revision),
    onSuccess: async ({ number }) => {
      await refreshEstate(queries, estate);
      void navigate(`/estates/${encodeURIComponent(estate)}/changes/${number}`);
    },
    onError: tellProblem,
  });
}
