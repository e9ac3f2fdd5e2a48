import { answered, client } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** sp_detach_db: what is detached is kept as a backup. `key` makes it safe to ask again when no answer came. */
export async function detachDatabase(estate: string, path: DatabasePath, key: string) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/detach', {
      params: { path: { estate, ...path }, header: { 'Idempotency-Key': key } },
      body: { name: null },
    }),
  );
}
