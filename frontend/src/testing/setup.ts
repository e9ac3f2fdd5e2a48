import '@testing-library/jest-dom/vitest';
import { act, cleanup, configure } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, vi, type MockInstance } from 'vitest';

import { i18n, startI18n } from '@/i18n';
import { liveSession } from '@/lib/live-session';
import { queryClient } from '@/lib/query-client';

import { resetStores } from './zustand';

// This file runs before each file of tests, in a page and with modules that all files of a worker share: what it adds
// twice must do no harm, and what a test changes is put back below.
if (!i18n.isInitialized) {
  await startI18n('en');
}

// The library does both by itself only where each file loads it.
beforeAll(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
});

// React says when something changed behind a test's back. A test that changes a store does so in act(), and one that
// starts something waits for it; a test that does neither fails here, and what React says is still printed. Hooks after
// a test run in reverse order and end with the first that fails: this one is the last, so that the page is put back.
let printed: MockInstance<typeof console.error>;

beforeEach(() => {
  printed = vi.spyOn(console, 'error');
});

afterEach(() => {
  const found = printed.mock.calls.filter(([text]) => String(text).includes('not wrapped in act('));
  printed.mockRestore();
  expect(found, 'updates outside of act()').toEqual([]);
});

afterEach(async () => {
  cleanup();
  queryClient.clear();
  resetStores();
  localStorage.clear();
  sessionStorage.clear();
  vi.useRealTimers();
  if (i18n.language !== 'en') {
    await i18n.changeLanguage('en');
  }
});

// Whoever waits for something waits for it, and not for a busy machine; what never comes fails all the same.
configure({ asyncUtilTimeout: 60_000 });

// What jsdom lacks and components ask for. None of it has a result that a test looks at.
window.matchMedia = (media) =>
  Object.assign(new EventTarget(), { matches: false, media, onchange: null }) as MediaQueryList;

window.ResizeObserver = class {
  observe(): void {
    return undefined;
  }
  unobserve(): void {
    return undefined;
  }
  disconnect(): void {
    return undefined;
  }
};

// Nothing is ever in view, so that no chart is drawn: there is no canvas to draw on.
window.IntersectionObserver = class {
  readonly root = null;
  readonly rootMargin = '';
  readonly scrollMargin = '';
  readonly thresholds = [];
  observe(): void {
    return undefined;
  }
  unobserve(): void {
    return undefined;
  }
  disconnect(): void {
    return undefined;
  }
  takeRecords(): IntersectionObserverEntry[] {
    return [];
  }
};

Element.prototype.scrollIntoView = () => undefined;

Range.prototype.getClientRects = () => [] as unknown as DOMRectList;

Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });

// The live connection belongs to the tab, not to the test: a socket that never opens stands in for the server, and the
// connection ends with the test, so that none of its timers outlives the page.
window.WebSocket = class extends EventTarget {
  send(): void {
    return undefined;
  }
  close(): void {
    return undefined;
  }
} as unknown as typeof WebSocket;

afterEach(() => {
  act(() => {
    liveSession.end();
  });
});
