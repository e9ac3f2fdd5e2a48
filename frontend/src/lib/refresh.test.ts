import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Estate } from '@/contracts/api';
import type { EstateFacts } from '@/contracts/live-messages';
import { demoEstate } from '@/testing/demo-estate';

import { keys } from './query-client';
import { followEstate, refreshDraft } from './refresh';

const { name } = demoEstate();
const draft = { number: 3, sequence: 7 };

const told = (state: string, drafts: EstateFacts['change_sets'] = []): EstateFacts => ({
  revision: 1,
  instances: [],
  state,
  behind: [],
  change_sets: drafts,
});

let queries: QueryClient;
let leave: (() => void)[];

/** A page that shows what `answer` gives; answers how often it was asked for. */
async function show(queryKey: readonly unknown[], answer: () => Promise<unknown>): Promise<() => number> {
  const asked = vi.fn(answer);
  const observer = new QueryObserver(queries, { queryKey, queryFn: asked, staleTime: Infinity, retry: false });
  leave.push(observer.subscribe(() => undefined));
  await vi.waitFor(() => {
    expect(asked).toHaveBeenCalled();
  });
  return () => asked.mock.calls.length;
}

const estateIn = (state: string, shown: Estate['change_set'] = null): Estate => ({
  ...demoEstate(),
  state,
  change_set: shown,
});

/** Whatever a message sets off has been asked for. */
async function settle(): Promise<void> {
  await vi.waitFor(() => {
    expect(queries.isFetching()).toBe(0);
  });
  await new Promise((resolve) => setTimeout(resolve));
}

beforeEach(() => {
  queries = new QueryClient();
  leave = [];
});

afterEach(() => {
  leave.forEach((stop) => {
    stop();
  });
  queries.clear();
});

describe('what the live connection tells of an estate', () => {
  it('spares the page an estate that it has in that state', async () => {
    const asked = await show(keys.draft(name, null), () => Promise.resolve(estateIn('a')));
    const drafts = await show(keys.changeSets(name), () => Promise.resolve([]));
    await settle();
    const follow = followEstate(queries, name);
    follow(told('a'));
    await settle();
    expect([asked(), drafts()]).toEqual([1, 1]);
  });

  it('waits for an estate that is on its way, and then looks whether that is it', async () => {
    let state = 'a';
    let arrive: (() => void)[] = [];
    const asked = await show(
      keys.draft(name, null),
      () =>
        new Promise((resolve) => {
          const estate = estateIn(state);
          arrive.push(() => {
            resolve(estate);
          });
        }),
    );
    const answer = () => {
      const waiting = arrive;
      arrive = [];
      waiting.forEach((one) => {
        one();
      });
    };
    const follow = followEstate(queries, name);
    follow(told('a'));
    answer();
    await settle();
    expect(asked()).toBe(1);
    state = 'b';
    follow(told('b'));
    await vi.waitFor(() => {
      expect(asked()).toBe(2);
    });
    follow(told('b'));
    answer();
    await settle();
    expect(asked()).toBe(2);
  });

  it('reads another state once, with the drafts and decisions that came of it', async () => {
    let state = 'a';
    const asked = await show(keys.draft(name, null), () => Promise.resolve(estateIn(state)));
    const drafts = await show(keys.changeSets(name), () => Promise.resolve([]));
    await settle();
    const follow = followEstate(queries, name);
    follow(told('a'));
    state = 'b';
    follow(told('b'));
    await settle();
    expect([asked(), drafts()]).toEqual([2, 2]);
  });

  it('reads a draft again when that draft has moved, and not for another one', async () => {
    let shown = draft;
    const asked = await show(keys.draft(name, draft.number), () => Promise.resolve(estateIn('a', shown)));
    await settle();
    const follow = followEstate(queries, name);
    follow(told('a', [draft, { number: 4, sequence: 1 }]));
    await settle();
    follow(told('a', [draft, { number: 4, sequence: 2 }]));
    await settle();
    expect(asked()).toBe(1);
    shown = { ...draft, sequence: 8 };
    follow(told('a', [shown, { number: 4, sequence: 2 }]));
    await settle();
    expect(asked()).toBe(2);
  });

  it('spares the page a draft that it has in a later state than the one that is told', async () => {
    const asked = await show(keys.draft(name, draft.number), () => Promise.resolve(estateIn('a', draft)));
    await settle();
    followEstate(queries, name)(told('a', [{ ...draft, sequence: draft.sequence - 1 }]));
    await settle();
    expect(asked()).toBe(1);
  });
});

describe('an edit of a draft', () => {
  it('reads the draft again and nothing that is live', async () => {
    const live = await show(keys.draft(name, null), () => Promise.resolve(estateIn('a')));
    const asked = await show(keys.draft(name, draft.number), () => Promise.resolve(estateIn('a', draft)));
    const drafts = await show(keys.changeSets(name), () => Promise.resolve([]));
    await settle();
    await refreshDraft(queries, name, draft);
    await settle();
    expect([live(), asked(), drafts()]).toEqual([1, 2, 2]);
  });

  it('reads the draft once where the live connection is faster than the answer', async () => {
    let shown = draft;
    const asked = await show(keys.draft(name, draft.number), async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return estateIn('a', shown);
    });
    await settle();
    shown = { ...draft, sequence: draft.sequence + 1 };
    followEstate(queries, name)(told('a', [shown]));
    await vi.waitFor(() => {
      expect(asked()).toBe(2);
    });
    await refreshDraft(queries, name, draft);
    await settle();
    expect(asked()).toBe(2);
    await refreshDraft(queries, name, shown);
    expect(asked()).toBe(3);
  });
});
