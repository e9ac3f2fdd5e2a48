import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useReloadWhenServed } from './use-reload-when-served';

const reload = vi.fn();
let isServed = false;

async function pass(milliseconds: number) {
  await act(() => vi.advanceTimersByTimeAsync(milliseconds));
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 23) });
  sessionStorage.clear();
  reload.mockReset();
  isServed = false;
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status: isServed ? 200 : 502 })));
  vi.stubGlobal('location', { href: 'http://localhost/estates/demo/findings', reload });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a page whose code did not come', () => {
  it('waits while somebody else answers for the server, and is loaded anew when the server does', async () => {
    renderHook(() => {
      useReloadWhenServed();
    });
    await pass(30_000);
    expect(reload).not.toHaveBeenCalled();
    isServed = true;
    await pass(2_000);
    expect(reload).toHaveBeenCalledTimes(1);
    await pass(10_000);
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it('that does not come after that either is not loaded again before a minute has passed', async () => {
    isServed = true;
    const first = renderHook(() => {
      useReloadWhenServed();
    });
    await pass(0);
    first.unmount();
    renderHook(() => {
      useReloadWhenServed();
    });
    await pass(50_000);
    expect(reload).toHaveBeenCalledTimes(1);
    await pass(12_000);
    expect(reload).toHaveBeenCalledTimes(2);
  });

  it('that is left is not loaded any more', async () => {
    const { unmount } = renderHook(() => {
      useReloadWhenServed();
    });
    await pass(1_000);
    unmount();
    isServed = true;
    await pass(10_000);
    expect(reload).not.toHaveBeenCalled();
  });
});
