import { describe, expect, it } from 'vitest';

import { faultWords, formatFaults, isFaultSought, parseFaults, readFaults, toggledFault, type Fault } from './faults';

const every: Fault[] = [
  { kind: 'instance', instance: 'LYON' },
  { kind: 'link', instance: 'LYON', other: 'PARIS' },
  { kind: 'endpoint', instance: 'LYON' },
  { kind: 'database', instance: 'LYON', database: 'Entrepôt, nord/sud' },
  { kind: 'queue', instance: 'LYON', database: 'Entrepôt', queue: 'dbo.50 %' },
  { kind: 'partner', instance: 'BERLIN', database: 'Lagerbestand' },
];

describe('faults in the address', () => {
  it('come back as they went, whatever stands in their names', () => {
    const text = formatFaults(every);
    expect(readFaults(text)).toEqual({ faults: every, unreadable: [] });
    expect(text.startsWith('instance/LYON,link/LYON/PARIS,')).toBe(true);
  });

  it('are the same text in whatever order they were chosen, and from whichever end a link is named', () => {
    const turned = [...every]
      .reverse()
      .map((fault) => (fault.kind === 'link' ? { kind: fault.kind, instance: 'PARIS', other: 'LYON' } : fault));
    expect(formatFaults([...turned, ...turned])).toBe(formatFaults(every));
  });

  it('are no parameter when there is none', () => {
    expect(formatFaults([])).toBe('');
    expect(parseFaults(null)).toEqual([]);
    expect(readFaults('')).toEqual({ faults: [], unreadable: [] });
  });

  it.each([
    'meteor/LYON',
    'instance',
    'instance/',
    'instance/LYON/more',
    'link/LYON',
    'queue/LYON/Stock',
    'database/LYON/%E0%A4%A',
  ])('say what is not understood of them: %s', (broken) => {
    expect(readFaults(`${broken},endpoint/LYON`)).toEqual({
      faults: [{ kind: 'endpoint', instance: 'LYON' }],
      unreadable: [broken],
    });
  });
});

describe('a chosen fault', () => {
  it('is added, and taken away by being chosen again', () => {
    const down: Fault = { kind: 'instance', instance: 'LYON' };
    const cut: Fault = { kind: 'link', instance: 'LYON', other: 'PARIS' };
    const both = toggledFault([down], cut);
    expect(both).toEqual([down, cut]);
    expect(toggledFault(both, { ...cut, instance: 'PARIS', other: 'LYON' })).toEqual([down]);
  });

  it('is told, and found without accents', () => {
    expect(faultWords({ kind: 'queue', instance: 'LYON', database: 'Entrepôt', queue: 'dbo.Réception' })).toBe(
      'Queue dbo.Réception of LYON · Entrepôt is off',
    );
    expect(isFaultSought({ kind: 'database', instance: 'LYON', database: 'Entrepôt' }, 'entrepot')).toBe(true);
    expect(isFaultSought({ kind: 'database', instance: 'LYON', database: 'Entrepôt' }, 'Ventes')).toBe(false);
  });
});
