import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';

import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import { UserMenu } from './user-menu';

const server = testServer();

function serve(estates: readonly string[]) {
  server.on('GET', '/api/v1/samples', () => ({
    body: [{ name: 'demo-fr-de', title: 'Four servers', description: '' }],
  }));
  server.on('GET', '/api/v1/estates', () => ({ body: estates.map((name) => ({ name, instances: [] })) }));
  server.on('POST', '/api/v1/samples/demo-fr-de/load', () => ({
    status: 201,
    body: { estate: 'demo-fr-de', revision: 1, change_set: null },
  }));
}

async function chooseTour() {
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'tester' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Take the tour' }));
}

it.each([
  ['without loading the sample that is there', ['demo-fr-de', 'other'], 'viewer', 0],
  ['and loads the sample where it is not there', ['other'], 'editor', 1],
] as const)('leads to the tour from every page, %s', async (_, estates, role, loads) => {
  serve(estates);
  render(<UserMenu />, { role });
  await chooseTour();
  expect(await screen.findByText('/estates/demo-fr-de/topology?tour=1')).toBeInTheDocument();
  expect(server.asked.filter(({ method }) => method === 'POST')).toHaveLength(loads);
});

it('waits for the lists where a click comes before them', async () => {
  serve(['demo-fr-de']);
  let answer: () => void = () => undefined;
  const late = new Promise<void>((resolve) => {
    answer = resolve;
  });
  server.on('GET', '/api/v1/estates', async () => {
    await late;
    return { body: [{ name: 'demo-fr-de', instances: [] }] };
  });
  render(<UserMenu />, { role: 'viewer' });
  await chooseTour();
  answer();
  expect(await screen.findByText('/estates/demo-fr-de/topology?tour=1')).toBeInTheDocument();
});

it('says why a viewer cannot take the tour of a sample that is not there', async () => {
  serve(['other']);
  render(<UserMenu />, { role: 'viewer' });
  await userEvent.click(screen.getByRole('button', { name: 'tester' }));
  const entry = await screen.findByRole('menuitem', { name: 'Take the tour' });
  expect(entry).toHaveAttribute('aria-disabled', 'true');
  expect(screen.getByRole('menuitem', { name: 'Start page' })).toHaveAttribute('href', '/start');
});
