import { client } from '../api-client';

export async function logOut(): Promise<void> {
  await client.POST('/api/v1/logout');
}
