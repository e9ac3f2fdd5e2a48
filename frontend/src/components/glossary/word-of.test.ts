import { describe, expect, it } from 'vitest';

import { wordOf } from './word-of';

describe('where a term stands in a text', () => {
  it.each([
    ['Begin a dialog', 'Dialog', ['Begin a ', 'dialog', '']],
    ['Transmission queues of PARIS', 'Transmission queue', ['', 'Transmission queues', ' of PARIS']],
    ['Konversationen', 'Konversation', ['', 'Konversationen', '']],
    [
      'dbo.Q wurde durch eine nicht verarbeitbare Nachricht ausgeschaltet',
      'Nicht verarbeitbare Nachricht',
      ['dbo.Q wurde durch eine ', 'nicht verarbeitbare Nachricht', ' ausgeschaltet'],
    ],
    ['Gate (msdb) of it', 'Gate (msdb)', ['', 'Gate (msdb)', ' of it']],
  ])('%s', (text, term, pieces) => {
    expect(wordOf(text, term)).toEqual(pieces);
  });

  it('is no part of another word', () => {
    expect(wordOf('Rerouted over a route', 'Route')).toEqual(['Rerouted over a ', 'route', '']);
    expect(wordOf('Servicebetrieb', 'Service')).toEqual(['', 'Servicebetrieb', '']);
  });

  it('is the whole text where it has other words', () => {
    expect(wordOf('To transmit', 'Transmission queue')).toEqual(['', 'To transmit', '']);
  });
});
