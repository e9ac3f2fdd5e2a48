import type { Preferences, PreferencesPatch } from '@/contracts/api';

import { answered, client } from '../api-client';

/** Keeps a choice with the account; also when the page is left at once. */
export async function preferencesSet(body: PreferencesPatch): Promise<Preferences> {
  return answered(await client.PATCH('/api/v1/me/preferences', { body, keepalive: true }));
}
