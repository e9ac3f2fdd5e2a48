import { answered, client } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** ALTER DATABASE … SET ENABLE_BROKER or DISABLE_BROKER. */
export async function switchBroker(estate: string, path: DatabasePath, isEnabled: boolean) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/broker', {
      params: { path: { estate, ...path } },
      body: { is_enabled: isEnabled },
    }),
  );
}
