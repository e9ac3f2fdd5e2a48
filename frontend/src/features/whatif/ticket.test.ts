import { expect, it } from 'vitest';

import { answer, undeliverable, whatIf } from '@/testing/answers';
import { names } from '@/testing/demo-estate';

import { ticketText } from './ticket';

it('tells question, state, verdict, number and each step of each leg', () => {
  const text = ticketText('demo-fr-de', whatIf(undeliverable), 'https://example/what-if');
  const [asked = '', verdict = '', legs = '', link] = text.trimEnd().split('\n\n');
  expect(asked).toContain(names.size);
  expect(asked).toMatch(/demo-fr-de · Revision 1 · .* UTC/);
  expect(verdict).toMatch(/^No route\nIt got no further than PARIS.*\n9750 · No route matches/s);
  expect(legs.split('\n')).toEqual([
    'Message: Fails',
    '  Step 1 of 1, kept by PARIS, reason: no route fits',
    'Acknowledgement: Not reached',
    'Reply: Not reached',
    'Reply’s acknowledgement: Not reached',
  ]);
  expect(link).toBe('https://example/what-if');
});

it('names the draft and what is supposed to have failed', () => {
  const told = {
    ...answer(),
    faults: [{ kind: 'instance' as const, instance: 'LYON', other: null, database: null, queue: null }],
  };
  const basis = { ...whatIf().basis, change_set: 4, sequence: 2 };
  expect(ticketText('demo-fr-de', whatIf(told, { basis }), '')).toMatch(/Draft #4 · .* · LYON is down\n\nDelivered\n/);
});
