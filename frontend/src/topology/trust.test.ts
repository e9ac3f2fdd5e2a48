import { describe, expect, it } from 'vitest';

import { certificateHealth, validityHealth } from './trust';

const now = Date.parse('2026-11-21T12:00:00Z');
const shown = {
  name: 'c',
  hindrance: null,
  validity: 'valid' as const,
  starts_at: '2026-01-01T00:00:00Z',
  expires_at: '2027-01-01T00:00:00Z',
};

describe('the certificate of an endpoint', () => {
  it('is sound, or says in how many days it will not be', () => {
    expect(certificateHealth(shown, now)).toEqual({ verdict: 'delivered', text: 'Valid' });
    const soon = { ...shown, validity: 'expires-soon' as const, expires_at: '2026-12-03T13:00:00Z' };
    expect(certificateHealth(soon, now)).toEqual({ verdict: 'delayed', text: 'Expires in 12 days' });
    expect(validityHealth('expires-soon', '2026-11-21T13:00:00Z', now).text).toBe('Expires in 1 day');
  });

  it('is an error when nobody would accept it', () => {
    expect(validityHealth('expired', '2026-11-11T12:00:00Z', now)).toEqual({
      verdict: 'error',
      text: 'Expired 10 days ago',
    });
    expect(validityHealth('not-yet-valid', '2027-11-11T12:00:00Z', now).verdict).toBe('error');
    expect(certificateHealth({ ...shown, hindrance: 'no-private-key' }, now).text).toMatch(/^28036 · No private key/);
    const missing = { ...shown, hindrance: 'missing' as const, validity: null, starts_at: null, expires_at: null };
    expect(certificateHealth(missing, now)).toEqual({ verdict: 'error', text: '28036 · Not in master' });
  });
});
