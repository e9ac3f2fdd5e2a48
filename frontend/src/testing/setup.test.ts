// The files of a worker share one page and one copy of the modules: src/testing/setup.ts puts back what a test changes.
import { describe, expect, it, vi } from 'vitest';

import { i18n } from '@/i18n';
import { usePendingStore } from '@/lib/pending-store';
import { queryClient } from '@/lib/query-client';

const realDate = Date;
const first = usePendingStore.getState();

describe('a shared page', () => {
  it('can be changed by a test', async () => {
    usePendingStore.setState({ pending: { estate: [] } });
    queryClient.setQueryData(['me'], 'changed');
    localStorage.setItem('key', 'changed');
    sessionStorage.setItem('key', 'changed');
    vi.useFakeTimers();
    vi.stubGlobal('fetch', 'changed');
    await i18n.changeLanguage('de');
    expect([Date, fetch]).not.toContain(realDate);
  });

  it('is as it was in the next test', () => {
    expect(usePendingStore.getState()).toBe(first);
    expect(queryClient.getQueryData(['me'])).toBeUndefined();
    expect([localStorage.length, sessionStorage.length]).toEqual([0, 0]);
    expect(Date).toBe(realDate);
    expect(fetch).not.toBe('changed');
    expect(i18n.language).toBe('en');
  });
});
