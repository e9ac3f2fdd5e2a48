import '@testing-library/jest-dom/vitest';
import { afterEach, beforeEach, expect, vi, type MockInstance } from 'vitest';

import { startI18n } from '@/i18n';

await startI18n('en');

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

Element.prototype.scrollIntoView = () => undefined;

Object.defineProperty(document, 'fonts', { value: new EventTarget() });

// React says when something changed behind a test's back. Whoever changes a store says so with act(), and whoever
// starts something waits for it; a test that does neither fails here, and what React says is still printed.
let printed: MockInstance<typeof console.error>;

beforeEach(() => {
  printed = vi.spyOn(console, 'error');
});

afterEach(() => {
  const found = printed.mock.calls.filter(([text]) => String(text).includes('not wrapped in act('));
  expect(found, 'updates outside of act()').toEqual([]);
  printed.mockRestore();
});
