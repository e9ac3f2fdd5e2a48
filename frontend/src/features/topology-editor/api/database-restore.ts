import type { AttachRequest, RestoreRequest } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';

/** RESTORE DATABASE over what has the name, or as new. `key` makes it safe to ask again when no answer came. */
export async function restoreDatabase(estate: string, instance: string, body: RestoreRequest, key: string) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/restore', {
      params: { path: { estate, instance }, header: { 'Idempotency-Key': key } },
      body,
    }),
  );
}

/** CREATE DATABASE … FOR ATTACH, under a name that is free. */
export async function attachDatabase(estate: string, instance: string, body: AttachRequest, key: string) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/attach', {
      params: { path: { estate, instance }, header: { 'Idempotency-Key': key } },
      body,
    }),
  );
}
