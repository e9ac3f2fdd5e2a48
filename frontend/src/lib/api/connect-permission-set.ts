import type { ConnectPermissionVerb } from '@/contracts/api';

import { answered, client } from '../api-client';

/** GRANT, DENY or REVOKE CONNECT on an instance's endpoint, to or from a login or public. */
export async function setConnectPermission(estate: string, instance: string, grantee: string, verb: ConnectPermissionVerb) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/endpoint/permissions', {
      params: { path: { estate, instance } },
      body: { grantee, verb },
    }),
  );
}
