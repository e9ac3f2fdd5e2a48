import type { Draft, PermissionVerb } from '@/contracts/api';
import type { DatabasePath } from '@/topology/selection';

import { answered, client, draftMatch } from '../api-client';

/** GRANT, DENY or REVOKE SEND on a service, to or from a user of its database or public. */
export async function setSendPermission(
  estate: string,
  path: DatabasePath,
  service: string,
  grantee: string,
  verb: PermissionVerb,
  draft: Draft,
) {
  return answered(
    await client.POST(
      '/api/v1/estates/{estate}/instances/{instance}/databases/{database}/services/{service}/permissions',
      {
        params: {
          path: { estate, instance: path.instance, database: path.database, service },
          query: { change_set: draft.number },
        },
        headers: draftMatch(draft),
        body: { grantee, verb },
      },
    ),
  );
}
