import { describe, expect, it } from 'vitest';

import { finding } from '@/testing/findings';

import { findingsAbout, marksOf, markWords, selectionOfSubject } from './findings';
import { formatSelection } from './selection';

const route = { instance: 'PARIS', database: 'Ventes', kind: 'route', name: 'Vers A/B' };
const queue = { instance: 'PARIS', database: 'Ventes', kind: 'queue', name: 'dbo.File' };
const endpoint = { instance: 'HUB', database: null, kind: 'endpoint', name: 'Relais' };

describe('findings on the canvas', () => {
  it('select their object, or what it is in', () => {
    expect(selectionOfSubject(route)).toEqual({
      kind: 'route',
      instance: 'PARIS',
      database: 'Ventes',
      route: 'Vers A/B',
    });
    expect(selectionOfSubject(queue)).toEqual({ kind: 'database', instance: 'PARIS', database: 'Ventes' });
    expect(selectionOfSubject(endpoint)).toEqual({ kind: 'instance', instance: 'HUB' });
  });

  it('are counted up to the instance, and the gravest one gives the sign', () => {
    const marks = marksOf([
      { severity: 'info', subject: route, count: 2 },
      { severity: 'error', subject: queue, count: 1000 },
      { severity: 'warning', subject: endpoint, count: 1 },
    ]);
    const at = (kind: 'instance', instance: string) => marks.get(formatSelection({ kind, instance }));
    expect(at('instance', 'PARIS')).toEqual({ severity: 'error', count: 1002 });
    expect(at('instance', 'HUB')).toEqual({ severity: 'warning', count: 1 });
    expect(marks.get(formatSelection({ kind: 'database', instance: 'PARIS', database: 'Ventes' }))).toEqual({
      severity: 'error',
      count: 1002,
    });
    expect(marks.get(formatSelection(selectionOfSubject(route)))).toEqual({ severity: 'info', count: 2 });
  });

  it('are listed with what they are about', () => {
    const all = [finding({ key: '1', subject: route }), finding({ key: '2', subject: queue })];
    const keysOf = (found: { key: string }[]) => found.map(({ key }) => key);
    expect(keysOf(findingsAbout(all, selectionOfSubject(route)))).toEqual(['1']);
    expect(keysOf(findingsAbout(all, selectionOfSubject(queue)))).toEqual(['1', '2']);
    expect(keysOf(findingsAbout(all, { kind: 'instance', instance: 'LYON' }))).toEqual([]);
  });

  it('have words for the name of what carries them', () => {
    expect(markWords({ severity: 'error', count: 1 })).toBe('1 finding: error');
    expect(markWords({ severity: 'warning', count: 1200 })).toBe('1,200 findings, the gravest: warning');
  });
});
