import type { KeySuite } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';

/** How the secure dialogs of an estate protect messages. */
export async function setKeySuite(estate: string, suite: KeySuite) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/key-suite', {
      params: { path: { estate } },
      body: { key_suite: suite },
    }),
  );
}
