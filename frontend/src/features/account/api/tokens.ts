import { queryOptions } from '@tanstack/react-query';

import type { PasswordRequest, TokenMade, TokenRequest } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

/** One's own tokens, newest first. */
export const tokensQuery = queryOptions({
  queryKey: keys.tokens,
  queryFn: async () => answered(await client.GET('/api/v1/me/tokens')),
});

export async function tokenCreate(body: TokenRequest): Promise<TokenMade> {
  return answered(await client.POST('/api/v1/me/tokens', { body }));
}

export async function tokenRevoke(token: number): Promise<void> {
  await client.DELETE('/api/v1/me/tokens/{token}', { params: { path: { token } } });
}

export async function passwordSet(body: PasswordRequest): Promise<void> {
  await client.POST('/api/v1/me/password', { body });
}
