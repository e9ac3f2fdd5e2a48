import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { liveSession } from '@/lib/live-session';
import { useLiveStore } from '@/lib/live-store';
import { followEstate } from '@/lib/refresh';
import { useFollowed } from '@/hooks/use-topics';

/** Has the live connection stand for an estate, and what is read of the estate follow what it tells. */
export function useLiveEstate(estate: string): void {
  const queries = useQueryClient();
  useFollowed(estate, ['estate', 'instances']);
  useEffect(() => {
    liveSession.show(estate);
    const follow = followEstate(queries, estate);
    let told: unknown = null;
    return useLiveStore.subscribe(({ live: { progress } }) => {
      if (progress !== null && progress !== told) {
        told = progress;
        follow(progress);
      }
    });
  }, [estate, queries]);
}
