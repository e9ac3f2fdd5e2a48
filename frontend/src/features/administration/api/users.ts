import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import type { User, UserPatch, UserRequest } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

export type UsersAsked = { search?: string; page: number; rows: number };

export const usersQuery = (asked: UsersAsked) =>
  queryOptions({
    queryKey: [...keys.users, 'page', asked],
    queryFn: async () => answered(await client.GET('/api/v1/users', { params: { query: asked } })),
    placeholderData: keepPreviousData,
  });

/** What was done to one account, page by page, newest first. */
export const accountChangesQuery = (username: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.users, 'changes', username],
    queryFn: async ({ pageParam: before }) =>
      answered(await client.GET('/api/v1/account-changes', { params: { query: { username, limit: 50, before } } })),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next_before: next }) => next,
  });

export async function userCreate(body: UserRequest): Promise<User> {
  return answered(await client.POST('/api/v1/users', { body }));
}

export async function userUpdate({ username, body }: { username: string; body: UserPatch }): Promise<User> {
  return answered(await client.PATCH('/api/v1/users/{username}', { params: { path: { username } }, body }));
}

/** The whole address of a link that logs somebody in once, and until when it is valid. */
export async function loginLinkCreate(username: string): Promise<{ address: string; expiresAt: string }> {
  const made = answered(await client.POST('/api/v1/users/{username}/login-link', { params: { path: { username } } }));
  return { address: window.location.origin + made.path, expiresAt: made.expires_at };
}
