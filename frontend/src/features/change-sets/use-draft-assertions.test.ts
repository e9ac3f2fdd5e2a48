import { expect, it } from 'vitest';

import { assertionResult } from '@/testing/assertions';

import { comparedRuns } from './use-draft-assertions';

it('tells what a draft does to assertions, and nothing of those that only one run knows', () => {
  const run = (...passed: [number, boolean][]) =>
    passed.map(([id, isPassed]) => assertionResult({ assertion_id: id, passed: isPassed }));
  const found = comparedRuns(
    run([1, true], [2, true], [3, false], [4, false], [5, true]),
    run([1, true], [2, false], [3, true], [4, false], [6, false]),
  );
  const ids = (kind: 'failing' | 'passing' | 'still') => found[kind].map(({ draft }) => draft.assertion_id);
  expect([ids('failing'), ids('passing'), ids('still'), found.count]).toEqual([[2], [3], [4], 4]);
});
