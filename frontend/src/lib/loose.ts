import { answered, client } from './api-client';

type Call = (path: string, init: unknown) => Promise<{ data?: unknown }>;

export async function loose<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, init: unknown): Promise<T> {
  const calls = client as unknown as Record<typeof method, Call>;
  return answered(await calls[method](path, init)) as T;
}
