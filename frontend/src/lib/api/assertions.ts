// What is asserted of an estate: read, changed, and put to the test.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import type {
  AssertionPatch,
  AssertionRequest,
  AssertionsBulk,
  AssertionsRunRequest,
  AssertionState,
} from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

/** Which assertions; what is absent restricts nothing. */
export type AssertionsAsked = { search: string; state: AssertionState | null; tag: string | null; page: number };

/** After an Apply a worker runs them; in milliseconds. */
const between = 5_000;

/** A page of assertions with how each of them fared. */
export function assertionsQuery(estate: string, { search, state, tag, page }: AssertionsAsked) {
  return queryOptions({
    queryKey: [...keys.assertions(estate), 'list', search, state, tag, page],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/assertions', {
          params: {
            path: { estate },
            query: { search, page, ...(state === null ? {} : { state }), ...(tag === null ? {} : { tag }) },
          },
        }),
      ),
    refetchInterval: between,
    placeholderData: keepPreviousData,
  });
}

/** Which routes and flows of what is live the enabled assertions exercise. */
export function coverageQuery(estate: string) {
  return queryOptions({
    queryKey: [...keys.assertions(estate), 'coverage'],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/assertions/coverage', { params: { path: { estate }, query: {} } }),
      ),
  });
}

export async function createAssertion(estate: string, body: AssertionRequest) {
  return answered(await client.POST('/api/v1/estates/{estate}/assertions', { params: { path: { estate } }, body }));
}

export async function changeAssertion(estate: string, assertion: number, body: AssertionPatch) {
  return answered(
    await client.PATCH('/api/v1/estates/{estate}/assertions/{assertion}', {
      params: { path: { estate, assertion } },
      body,
    }),
  );
}

export async function changeAssertions(estate: string, body: AssertionsBulk) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/assertions/bulk', { params: { path: { estate } }, body }),
  );
}

/** Puts assertions to a state of the estate; a run of what is live as it is now is kept. */
export async function runAssertions(estate: string, body: Partial<AssertionsRunRequest> = {}) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/assertions/run', {
      params: { path: { estate } },
      body: { faults: [], ...body },
    }),
  );
}

export async function assertFlows(estate: string, which: 'observed' | 'possible') {
  return answered(
    await client.POST('/api/v1/estates/{estate}/assertions/from-flows', {
      params: { path: { estate } },
      body: { which, with_path: false },
    }),
  );
}

export async function takeAssertionFile(estate: string, text: string, replace: boolean) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/assertions/file', {
      params: { path: { estate } },
      body: { text, replace },
    }),
  );
}

/** Where the file of all assertions is. */
export const assertionFileAddress = (estate: string) => `/api/v1/estates/${encodeURIComponent(estate)}/assertions/file`;
