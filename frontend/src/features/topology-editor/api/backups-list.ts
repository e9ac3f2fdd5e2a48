import { queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

/** The backups of an estate, newest first. */
export function backupsQuery(estate: string) {
  return queryOptions({
    queryKey: keys.backups(estate),
    queryFn: async () =>
      answered(await client.GET('/api/v1/estates/{estate}/backups', { params: { path: { estate } } })),
  });
}
