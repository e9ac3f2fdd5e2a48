import { afterEach, describe, expect, it, vi } from 'vitest';

import { client } from './api-client';
import { asProblem } from './errors';

afterEach(() => {
  vi.unstubAllGlobals();
});

async function problemOf(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => 'answered',
    (error: unknown) => asProblem(error).detail,
  );
}

describe('a server that does not answer', () => {
  it('has changed nothing when it was only asked, and perhaps something when it was told', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    expect(await problemOf(client.GET('/api/v1/estates'))).toBe('The server does not answer. Nothing was changed.');
    expect(
      await problemOf(client.POST('/api/v1/samples/{sample}/load', { params: { path: { sample: 'demo' } } })),
    ).toMatch(/not known whether it was carried out/);
  });
});
