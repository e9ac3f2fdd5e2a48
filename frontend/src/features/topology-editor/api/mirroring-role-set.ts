import { answered, client, freshKey } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** Gives this partner alone a role, as in a forced service. */
export async function setMirroringRole(estate: string, path: DatabasePath, role: 'principal' | 'mirror') {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/mirroring-role', {
      params: { path: { estate, ...path }, header: freshKey() },
      body: { role },
    }),
  );
}
