import { queryOptions } from '@tanstack/react-query';

import type { AuditPage } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

export type AuditAsked = { author?: string; object?: string; instance?: string; before?: number };

/** A page of the log of decisions, newest first. */
export function auditQuery(estate: string, asked: AuditAsked) {
  return queryOptions({
    queryKey: keys.audit(estate, asked),
    // The same address also answers with files, when a format is asked for.
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/audit', {
          params: { path: { estate }, query: { ...asked, limit: 200 } },
        }),
      ) as AuditPage,
  });
}
