import { describe, expect, it } from 'vitest';

import type { EstateFacts } from '@/contracts/live-messages';
import { demoEstate } from '@/testing/demo-estate';

import { withProgress } from './live-progress';

const told = (more: Partial<EstateFacts> = {}): EstateFacts => ({
  revision: 1,
  instances: [],
  state: demoEstate().state,
  behind: [],
  change_sets: [],
  ...more,
});

function late() {
  const estate = demoEstate();
  return {
    ...estate,
    instances: estate.instances.map((one) => ({
      ...one,
      desired_revision: 2,
      applied_revision: 1,
      apply_error: 'The engine was away.',
    })),
  };
}

describe('how far the instances are', () => {
  it('is as told: who is not named has what is wanted', () => {
    const [first, second] = withProgress(
      late(),
      told({ behind: [{ name: late().instances[1]?.name ?? '', applied_revision: 1, apply_error: '9797' }] }),
    ).instances;
    expect(first).toMatchObject({ applied_revision: 2, apply_error: '' });
    expect(second).toMatchObject({ applied_revision: 1, apply_error: '9797' });
  });

  it('is as read when nothing was told, or of another state', () => {
    const estate = late();
    expect(withProgress(estate, null)).toBe(estate);
    expect(withProgress(estate, told({ state: 'another' }))).toBe(estate);
  });

  it('leaves an estate that says the same already', () => {
    const estate = demoEstate();
    expect(withProgress(estate, told())).toBe(estate);
  });
});
