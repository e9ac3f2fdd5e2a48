import { queryOptions } from '@tanstack/react-query';

import type { ChangeSetState } from '@/contracts/api';
import { answered, client } from '../api-client';
import { keys } from '../query-client';

/** Change sets of an estate in one state, newest first. */
export function changeSetsQuery(estate: string, state: ChangeSetState) {
  return queryOptions({
    queryKey: keys.changeSetList(estate, state),
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/change-sets', {
          params: { path: { estate }, query: { state, limit: 200 } },
        }),
      ),
  });
}
