import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';

import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import { History } from './history';

const server = testServer();
const at = '/api/v1/estates/demo-fr-de/revisions';

const revision = (number: number) => ({
  number,
  summary: `Change ${String(number)}`,
  author: 'olga',
  change_set: null,
  created_at: '2026-11-28T08:00:00Z',
});

it('leads to revisions that are older than the first page', async () => {
  server.on('GET', at, ({ query }) =>
    query.get('before') === null
      ? { body: { items: [revision(3), revision(2)], total: 3, next_before: 2 } }
      : { body: { items: [revision(1)], total: 3, next_before: null } },
  );
  render(<History estate="demo-fr-de" />, { role: 'editor' });
  await userEvent.click(await screen.findByRole('button', { name: 'Show older ones' }));
  expect(await screen.findByText('Change 1')).toBeInTheDocument();
  expect(screen.getByText('Change 3')).toBeInTheDocument();
  await waitFor(() => {
    expect(screen.queryByRole('button', { name: 'Show older ones' })).not.toBeInTheDocument();
  });
});
