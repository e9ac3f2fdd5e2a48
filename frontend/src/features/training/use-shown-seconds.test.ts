import { describe, expect, it } from 'vitest';

import { paceOf, shownAt, unheardMillisecondsMax, type Reading } from './use-shown-seconds';

function reading(more: Partial<Reading> = {}): Reading {
  return { seconds: 900, rate: 600, behind_seconds: 0, readAt: 10_000, ...more };
}

describe('a clock between two readings', () => {
  it('goes on by its rate', () => {
    const now = reading();
    expect(shownAt(now, paceOf(null, now), 10_500, 900)).toBe(1200);
  });

  it('goes no faster than it was seen to go where the processor does not keep up', () => {
    const before = reading();
    const now = reading({ seconds: 1100, behind_seconds: 400, readAt: 11_000 });
    expect(paceOf(before, now)).toBe(200);
    expect(paceOf(reading({ rate: 60 }), now)).toBe(600);
  });

  it('never goes back to a reading that comes late', () => {
    expect(shownAt(reading({ seconds: 1150, readAt: 10_600 }), 600, 10_600, 1200)).toBe(1200);
  });

  it('stands when the server has not been heard for long', () => {
    const most = 900 + (600 * unheardMillisecondsMax) / 1000;
    expect(shownAt(reading(), 600, 10_000 + unheardMillisecondsMax, 900)).toBe(most);
    expect(shownAt(reading(), 600, 90_000, 900)).toBe(most);
  });
});
