import { answered, client, freshKey } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** Gives this partner alone the role of the principal, as in a forced service. */
export async function makePrincipal(estate: string, path: DatabasePath) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/mirroring-role', {
      params: { path: { estate, ...path }, header: freshKey() },
      body: { role: 'principal' },
    }),
  );
}
