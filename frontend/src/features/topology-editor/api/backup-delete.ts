import { client } from '@/lib/api-client';

/** Forgets a backup for good. */
export async function deleteBackup(estate: string, backup: number) {
  await client.DELETE('/api/v1/estates/{estate}/backups/{backup}', { params: { path: { estate, backup } } });
}
