import type { ConnectPermissionVerb, Draft } from '@/contracts/api';

import { answered, client, draftMatch } from '../api-client';

/** GRANT, DENY or REVOKE CONNECT on an instance's endpoint, to or from a login or public. */
export async function setConnectPermission(
  estate: string,
  instance: string,
  grantee: string,
  verb: ConnectPermissionVerb,
  draft: Draft,
) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/endpoint/permissions', {
      params: { path: { estate, instance }, query: { change_set: draft.number } },
      headers: draftMatch(draft),
      body: { grantee, verb },
    }),
  );
}
