import { answered, client, freshKey } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** BACKUP DATABASE; null lets the server name it. */
export async function takeBackup(estate: string, path: DatabasePath, name: string | null) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/backups', {
      params: { path: { estate, ...path }, header: freshKey() },
      body: { name },
    }),
  );
}
