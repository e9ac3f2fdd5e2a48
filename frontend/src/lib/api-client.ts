// The typed door to the server: every operation goes through `client`, every failure leaves as an `ApiError`.
import createClient, { type Middleware } from 'openapi-fetch';

import type { Draft } from '@/contracts/api';
import type { paths } from '@/contracts/generated/api';
import { i18n } from '@/i18n';

import { ApiError, readProblem, UnansweredRead } from './errors';
import { tellSession } from './session-events';

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

function cookie(name: string): string {
  const found = document.cookie.split('; ').find((pair) => pair.startsWith(`${name}=`));
  return found === undefined ? '' : decodeURIComponent(found.slice(name.length + 1));
}

const habits: Middleware = {
  onRequest({ request }) {
    // The server words its refusals in the language of the page, which need not be that of the browser.
    request.headers.set('Accept-Language', i18n.language);
    if (!safeMethods.has(request.method)) {
      request.headers.set('X-CSRFToken', cookie('brokerweb_csrftoken'));
    }
    return request;
  },
  onError({ request, error }) {
    const isGivenUp = error instanceof DOMException && error.name === 'AbortError';
    return safeMethods.has(request.method) && error instanceof Error && !isGivenUp
      ? new UnansweredRead(error.message)
      : undefined;
  },
  async onResponse({ response, schemaPath }) {
    if (response.ok) {
      return;
    }
    const body: unknown = await response.json().catch(() => null);
    if (response.status === 401 && !schemaPath.endsWith('/login')) {
      tellSession('ended');
    }
    throw new ApiError(readProblem(response.status, body, response.headers.get('Retry-After')));
  },
};

export const client = createClient<paths>({
  baseUrl: window.location.origin,
  // Looked up at each call, so that a test may stand in for the network.
  fetch: (request) => globalThis.fetch(request),
});
client.use(habits);

/** The body of an answer that the operation promises to have. */
export function answered<Data>({ data }: { data?: Data }): Data {
  if (data === undefined) {
    throw new ApiError(readProblem(0, { title: i18n.t('notices:problem.noContent') }));
  }
  return data;
}

/** Names the revision that a change was made from. */
export function ifMatch(revision: number): { 'If-Match': string } {
  return { 'If-Match': `"${revision}"` };
}

/** Names the state of the change set that an edit was made from. */
export function draftMatch({ number, sequence }: Draft): { 'If-Match': string } {
  return { 'If-Match': `"${number}-${sequence}"` };
}

/** Makes a command safe to repeat: the same key is carried out once. */
export function freshKey(): { 'Idempotency-Key': string } {
  return { 'Idempotency-Key': crypto.randomUUID() };
}
