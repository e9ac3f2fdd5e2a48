import { describe, expect, it } from 'vitest';

import { certificateOf, clausesOfEndpoint, fieldsOfEndpoint, patchOfEndpoint } from './endpoint-clauses';

const clauses = [
  ['WINDOWS NEGOTIATE', 'REQUIRED ALGORITHM AES'],
  ['CERTIFICATE [Mon cert]', 'SUPPORTED ALGORITHM AES RC4'],
  ['CERTIFICATE [a]]b WINDOWS] WINDOWS NTLM', 'DISABLED'],
  ['WINDOWS KERBEROS CERTIFICATE [CERTIFICATE]', 'REQUIRED ALGORITHM RC4 AES'],
].map(([authentication = '', encryption = '']) => ({ authentication, encryption }));

describe('clauses of an endpoint', () => {
  it.each(clauses)('are the same again after they were fields: %j', (before) => {
    expect(clausesOfEndpoint(fieldsOfEndpoint(before), before)).toEqual(before);
    expect(patchOfEndpoint(fieldsOfEndpoint(before), before)).toEqual({});
  });

  it('that were written shortly are no change while nobody touches them', () => {
    const before = { authentication: 'WINDOWS', encryption: 'SUPPORTED' };
    expect(patchOfEndpoint(fieldsOfEndpoint(before), before)).toEqual({});
    expect(patchOfEndpoint({ ...fieldsOfEndpoint(before), level: 'DISABLED' }, before)).toEqual({
      encryption: 'DISABLED',
    });
  });

  it('find the certificate, brackets and words of the language in its name included', () => {
    expect(certificateOf('WINDOWS CERTIFICATE [a]]b WINDOWS]')).toBe('a]b WINDOWS');
    expect(certificateOf('WINDOWS')).toBe('');
    const before = { authentication: 'WINDOWS', encryption: 'DISABLED' };
    const fields = { ...fieldsOfEndpoint(before), proof: 'certificate' as const, certificate: 'x]y' };
    expect(patchOfEndpoint(fields, before)).toEqual({ authentication: 'CERTIFICATE [x]]y]' });
  });
});
