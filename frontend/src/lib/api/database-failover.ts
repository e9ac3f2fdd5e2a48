import { answered, client, freshKey } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** ALTER DATABASE … SET PARTNER FAILOVER, at the principal. */
export async function failOver(estate: string, path: DatabasePath) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/failover', {
      params: { path: { estate, ...path }, header: freshKey() },
    }),
  );
}
