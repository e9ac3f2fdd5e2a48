import { describe, expect, it } from 'vitest';

import { answer, whatIf } from '@/testing/answers';

import { linkOf, sinceShared } from './link';

const live = whatIf();
const draft = whatIf(
  answer({}, { faults: [{ kind: 'instance', instance: 'HUB', other: null, database: null, queue: null }] }),
  {
    basis: { ...live.basis, change_set: 3, sequence: 7 },
  },
);

const parametersOf = (address: string) => new URL(address, 'http://localhost').searchParams;

describe('a link to an answer', () => {
  it('names the revision, the instant and the engine, though the question was about what is live now', () => {
    const held = Object.fromEntries(parametersOf(linkOf('demo-fr-de', live)));
    expect(held).toEqual({
      from: 'PARIS/Ventes/%2F%2Fexemple.fr%2FCommandes%2FPassation',
      to: '//beispiel.de/Lager/Größenprüfung',
      revision: '1',
      at: '2026-01-01T00:00:00Z',
      engine: '1.0.0',
      print: 'f00d',
    });
  });

  it('names a draft with how far it had come, and the failures', () => {
    const held = parametersOf(linkOf('demo-fr-de', draft));
    expect([held.get('draft'), held.get('sequence'), held.get('revision'), held.get('faults')]).toEqual([
      '3',
      '7',
      null,
      'instance/HUB',
    ]);
  });

  it('opened later, tells the same answer from another one, and what has changed', () => {
    const link = parametersOf(linkOf('demo-fr-de', draft));
    expect(sinceShared(link, draft)).toEqual({ isSame: true, engine: null, hasMoved: false });
    const later = { ...draft, fingerprint: 'beef', basis: { ...draft.basis, sequence: 9, engine_version: '1.1.0' } };
    expect(sinceShared(link, later)).toEqual({ isSame: false, engine: '1.0.0', hasMoved: true });
    expect(sinceShared(new URLSearchParams('from=x'), draft)).toBeNull();
  });
});
