import type { QueryClient } from '@tanstack/react-query';

import { keys } from './query-client';

/** Asks again for everything that a decision about an estate may have changed. */
export async function refreshEstate(queries: QueryClient, estate: string): Promise<void> {
  await Promise.all(
    [keys.topology(estate), keys.changeSets(estate), keys.decisions(estate)].map((queryKey) => queries.invalidateQueries({ queryKey })),
  );
}
