// Stands in for the network: answers the requests a test expects and keeps what was asked. An unexpected request is
// an error of the test, not silence.
import { afterEach, beforeEach } from 'vitest';

export type Asked = { method: string; path: string; query: URLSearchParams; headers: Headers; body: unknown };
export type Answer = { status?: number; body?: unknown; headers?: Record<string, string> };
/** Answers at once, or later; an answer that is not waited for any more is forgotten. */
type Handler = (asked: Asked) => Answer | Promise<Answer>;

export type TestServer = {
  asked: Asked[];
  on: (method: string, path: string, handler: Handler) => void;
};

/** Installs a server for the tests of a file; every test begins with an empty one. */
export function testServer(): TestServer {
  const handlers = new Map<string, Handler>();
  const server: TestServer = {
    asked: [],
    on: (method, path, handler) => {
      handlers.set(`${method} ${path}`, handler);
    },
  };
  const network = globalThis.fetch;

  beforeEach(() => {
    handlers.clear();
    server.asked.length = 0;
    globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      const url = new URL(request.url);
      const path = decodeURIComponent(url.pathname);
      const text = await request.text();
      const asked = {
        method: request.method,
        path,
        query: url.searchParams,
        headers: request.headers,
        // A file is sent in another form, which is a text here.
        body: isJson(request) && text !== '' ? (JSON.parse(text) as unknown) : text || null,
      };
      server.asked.push(asked);
      const handler = handlers.get(`${request.method} ${path}`);
      if (handler === undefined) {
        throw new Error(`No test expects ${request.method} ${path}.`);
      }
      const { status = 200, body, headers } = await Promise.race([handler(asked), aborted(request.signal)]);
      return new Response(JSON.stringify(body ?? null), {
        status,
        headers: { 'Content-Type': 'application/json', ...headers },
      });
    };
  });
  afterEach(() => {
    globalThis.fetch = network;
  });
  return server;
}

function isJson(request: Request): boolean {
  return request.headers.get('Content-Type')?.startsWith('application/json') ?? false;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new DOMException('The request was given up.', 'AbortError'));
    });
  });
}

/** Lets drafts be begun and given up: an edit of what is live begins number 3. */
export function answerDrafts(server: TestServer, estate = 'demo-fr-de'): void {
  const draft = { number: 3, sequence: 7 };
  server.on('POST', `/api/v1/estates/${estate}/change-sets`, () => ({ status: 201, body: draft }));
  server.on('DELETE', `/api/v1/estates/${estate}/change-sets/${draft.number}`, () => ({ body: draft }));
}

/** A refusal as the server words it. */
export function problem(
  status: number,
  code: number | string,
  detail: string,
  more: Record<string, unknown> = {},
): Answer {
  return {
    status,
    body: {
      type: `urn:brokerweb:problem:${code}`,
      title: 'Refused',
      status,
      code,
      detail,
      why: '',
      cure: '',
      pointer: null,
      ...more,
    },
  };
}
