import { expect, test } from 'vitest';

import { instancesNow } from './instances-clock';

test('instances of an estate go by the clock of the server', () => {
  expect(instancesNow(5_000, undefined)).toBe(5_000);
});

test('a sandbox goes from what both clocks showed at one instant, as fast as it is told', () => {
  const clock = { wall: 2_000, utc: 100, rate: 60 };
  expect(instancesNow(2_000_000, clock)).toBe(100_000);
  expect(instancesNow(2_001_000, clock)).toBe(160_000);
});

test('one that stands still does not grow older', () => {
  expect(instancesNow(9_000_000, { wall: 2_000, utc: 100, rate: 0 })).toBe(100_000);
});
