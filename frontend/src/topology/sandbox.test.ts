import { describe, expect, it } from 'vitest';

import { isSandbox, runOf } from './sandbox';

describe('names of sandboxes', () => {
  it('tell the run', () => {
    expect(runOf('~0123456789abcdef0123456789abcdef')).toBe('01234567-89ab-cdef-0123-456789abcdef');
  });

  it('tell no run when they are none', () => {
    expect(runOf('demo-fr-de')).toBeNull();
    expect(runOf('~0123')).toBeNull();
    expect(isSandbox('demo-fr-de')).toBe(false);
    expect(isSandbox('~0123')).toBe(true);
  });
});
