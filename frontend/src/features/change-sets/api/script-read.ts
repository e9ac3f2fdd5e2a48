import { queryOptions } from '@tanstack/react-query';

import type { ChangeSet } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

/** What a change set does, as T-SQL, or what takes it back. */
export function changeSetScriptQuery(estate: string, { number, sequence, revision }: ChangeSet, rollback: boolean) {
  return queryOptions({
    queryKey: [...keys.changeSet(estate, number), 'script', sequence, revision, rollback],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/script', {
          params: { path: { estate }, query: { change_set: number, rollback } },
        }),
      ),
  });
}
