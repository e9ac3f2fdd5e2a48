import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Gathered, gatheringMilliseconds } from './gathered';

describe('what comes in bursts', () => {
  let passed: (readonly number[])[];
  let gathered: Gathered<number>;

  beforeEach(() => {
    vi.useFakeTimers();
    passed = [];
    gathered = new Gathered((items) => passed.push(items));
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is passed on as it begins, and then all that has gathered, in its order', () => {
    for (let number = 0; number < 1000; number += 1) {
      gathered.add(number);
    }
    expect(passed).toEqual([[0]]);
    vi.advanceTimersByTime(gatheringMilliseconds);
    expect(passed).toEqual([[0], Array.from({ length: 999 }, (_, number) => number + 1)]);
  });

  it('is passed on at once again when nothing has come for a while', () => {
    gathered.add(1);
    vi.advanceTimersByTime(gatheringMilliseconds);
    gathered.add(2);
    expect(passed).toEqual([[1], [2]]);
  });

  it('is passed on whole before an end', () => {
    gathered.add(1);
    gathered.add(2);
    gathered.pass();
    expect(passed).toEqual([[1], [2]]);
  });

  it('is dropped with whoever wanted it', () => {
    gathered.add(1);
    gathered.add(2);
    gathered.drop();
    vi.advanceTimersByTime(gatheringMilliseconds);
    expect(passed).toEqual([[1]]);
  });
});
