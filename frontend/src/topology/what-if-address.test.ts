import { describe, expect, it } from 'vitest';

import { parseFaults } from './faults';
import { formatSender, parseSender, whatIfAddress, type Flow } from './what-if-address';

const flow: Flow = {
  instance: 'PARIS',
  database: 'Ventes & Cie',
  service: '//exemple.fr/Ventes/Guichet',
  to_service: '//exemple.fr/Commandes/Réception',
  broker_instance: null,
};

describe('the sender of a flow', () => {
  it('comes back as it went, though its name has slashes', () => {
    expect(parseSender(formatSender(flow))).toEqual({
      instance: 'PARIS',
      database: 'Ventes & Cie',
      service: '//exemple.fr/Ventes/Guichet',
    });
  });

  it.each([null, '', 'PARIS', 'PARIS/Ventes', 'PARIS/Ventes/', 'a/b/c/d', '%E0%A4%A/b/c'])('is nobody: %s', (text) => {
    expect(parseSender(text)).toBeNull();
  });
});

describe('the address of the what-if page', () => {
  it('is the flow alone for the live estate as it is now', () => {
    const { pathname, searchParams } = new URL(whatIfAddress('demo fr', flow), 'http://localhost');
    expect(pathname).toBe('/estates/demo%20fr/whatif');
    expect([...searchParams.keys()]).toEqual(['from', 'to']);
    expect(searchParams.get('to')).toBe('//exemple.fr/Commandes/Réception');
  });

  it('holds all of what it is asked of', () => {
    const asked = whatIfAddress(
      'demo',
      { ...flow, broker_instance: 'd4a85e17-0b6f-4c92-b3d8-6e51f09a2c05' },
      { draft: 3, at: '2027-01-01T00:00:00Z', faults: [{ kind: 'link', instance: 'PARIS', other: 'LYON' }] },
    );
    const { searchParams } = new URL(asked, 'http://localhost');
    expect(searchParams.get('id')).toBe('d4a85e17-0b6f-4c92-b3d8-6e51f09a2c05');
    expect(searchParams.get('draft')).toBe('3');
    expect(searchParams.get('at')).toBe('2027-01-01T00:00:00Z');
    expect(parseFaults(searchParams.get('faults'))).toEqual([{ kind: 'link', instance: 'LYON', other: 'PARIS' }]);
    expect(searchParams.has('revision')).toBe(false);
  });
});
