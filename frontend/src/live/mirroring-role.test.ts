import { describe, expect, it } from 'vitest';

import type { DatabaseView } from './instance-view';
import { mirroringRole } from './mirroring-role';

const inState = (state: DatabaseView['state']) => ({ state }) as DatabaseView;

describe('the role of a database in its mirrored pair', () => {
  it('is what its instance says it is now', () => {
    expect(mirroringRole(inState('mirror'))).toBe('mirror');
    expect(mirroringRole(inState('online'))).toBe('principal');
  });

  it('is unknown as long as the instance says nothing', () => {
    expect(mirroringRole(undefined)).toBe('unknown');
  });
});
