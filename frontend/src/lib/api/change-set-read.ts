import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '../api-client';
import { keys } from '../query-client';

/** A change set with every object that it changes. */
export function changeSetQuery(estate: string, number: number) {
  return queryOptions({
    queryKey: keys.changeSet(estate, number),
    queryFn: async () => answered(await client.GET('/api/v1/estates/{estate}/change-sets/{number}', { params: { path: { estate, number } } })),
  });
}
