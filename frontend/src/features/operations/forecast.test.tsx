import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';

import { answer, stuck, whatIf } from '@/testing/answers';
import { demoEstate } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import { Forecast } from './components/forecast';

const server = testServer();
const estate = demoEstate();
const path = { instance: 'PARIS', database: 'Ventes', handle: '11111111-2222-4333-8444-555555555555' };
const address = `/api/v1/estates/${estate.name}/instances/PARIS/databases/Ventes/conversations/${path.handle}/forecast`;

it('says what becomes of the message on all hops, and what mends it', async () => {
  const dropped = {
    ...stuck,
    disposition: 'discarded',
    instance: 'HUB',
    database: null,
    number: { number: 9792, text: 'Forwarding is disabled', why: '', cure: 'Enable forwarding.' },
  } as const;
  const told = answer({ message: [dropped], acknowledgement: [], reply: [], 'reply-acknowledgement': [] });
  server.on('GET', address, () => ({
    body: {
      leg: 'message',
      what_if: whatIf(told),
      stopped: ['LYON'],
      findings: [{ key: 'f1', code: 'SBD-304', title: 'No forwarding' }],
      broken_by: { number: 4, summary: 'Remove a route', at: '2026-11-23T19:00:00Z' },
    },
  }));
  render(<Forecast estate={estate.name} path={path} topology="1" />);
  const there = await screen.findByRole('region', { name: 'What becomes of it' });
  expect(there).toHaveTextContent('Discarded');
  expect(there).toHaveTextContent('The way ends at HUB.');
  expect(there).toHaveTextContent('9792 · Forwarding is disabled. Enable forwarding.');
  expect(there).toHaveTextContent('The endpoint of LYON is stopped.');
  expect(within(there).getByRole('button', { name: /endpoint.*LYON/i })).toBeInTheDocument();
  expect(within(there).getByRole('link', { name: 'SBD-304 · No forwarding' })).toBeInTheDocument();
  expect(there).toHaveTextContent('Arrived before revision 4: Remove a route');
  expect(within(there).getByRole('button', { name: 'Revert revision 4' })).toBeInTheDocument();
});
