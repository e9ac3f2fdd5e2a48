import type { Endpoint } from '@/contracts/api';

import { answered, client } from '../api-client';

/** Starts or stops the network side of an instance. */
export async function setEndpointState(estate: string, instance: string, state: Endpoint['state']) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/instances/{instance}/endpoint', {
      params: { path: { estate, instance } },
      body: { state },
    }),
  );
}
