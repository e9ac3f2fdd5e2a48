import type { Person } from '@/contracts/api';

import { answered, client } from '../api-client';

export async function logIn(credentials: { username: string; password: string }): Promise<Person> {
  return answered(await client.POST('/api/v1/login', { body: credentials }));
}
