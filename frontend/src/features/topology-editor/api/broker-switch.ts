import type { Draft } from '@/contracts/api';
import { answered, client, draftMatch } from '@/lib/api-client';
import type { DatabasePath } from '@/topology/selection';

/** ALTER DATABASE … SET ENABLE_BROKER or DISABLE_BROKER, in a change set. */
export async function switchBroker(estate: string, path: DatabasePath, isEnabled: boolean, draft: Draft) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/databases/{database}/broker', {
      params: { path: { estate, ...path }, query: { change_set: draft.number } },
      headers: draftMatch(draft),
      body: { is_enabled: isEnabled },
    }),
  );
}
