import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import type { FixPreview } from '@/contracts/api';
import { finding } from '@/testing/findings';
import { render } from '@/testing/render';
import { problem, testServer } from '@/testing/server';

import { FixButton } from './fix-button';

const server = testServer();
const path = '/api/v1/estates/demo-fr-de/findings/fix';

function preview(more: Partial<FixPreview> = {}): FixPreview {
  return {
    summary: 'Fix SBD-102',
    asked: 1,
    mended: 1,
    gone: 1,
    left_count: 0,
    left: [],
    revealed_count: 0,
    revealed: [],
    revision: 3,
    change_set: null,
    steps: [{ instance: 'LYON', steps: ['Create route Retour in database Archives.'] }],
    object_count: 1,
    objects: [
      {
        instance: 'LYON',
        database: 'Archives',
        kind: 'route',
        name: 'Retour',
        effect: 'add',
        fields: [{ name: 'address', before: null, after: 'TCP://paris:4022' }],
      },
    ],
    script: { text: "CREATE ROUTE [Retour] WITH ADDRESS = N'TCP://paris:4022';", warnings: [], statements: [] },
    ...more,
  };
}

async function open(role: 'editor' | 'viewer' = 'editor') {
  const user = userEvent.setup();
  render(<FixButton finding={finding()} />, { role });
  await user.click(screen.getByRole('button', { name: 'Preview fix' }));
  return { user, dialog: await screen.findByRole('dialog') };
}

describe('the preview of a fix', () => {
  it('shows objects, T-SQL and steps, and takes it into a new draft that is then reviewed', async () => {
    server.on('GET', path, () => ({ body: preview() }));
    server.on('POST', '/api/v1/estates/demo-fr-de/change-sets', () => ({
      status: 201,
      body: { number: 4, sequence: 0 },
    }));
    server.on('POST', path, () => ({ body: { change_set: 4, sequence: 1 } }));
    const { user, dialog } = await open();
    expect(await within(dialog).findByText('Mends 1 of 1 finding')).toBeInTheDocument();
    expect(within(dialog).getByText('TCP://paris:4022')).toBeInTheDocument();
    await user.click(within(dialog).getByRole('tab', { name: 'T-SQL' }));
    expect(within(dialog).getByText('[Retour]')).toBeInTheDocument();
    await user.click(within(dialog).getByRole('button', { name: 'Add to a new draft' }));
    await waitFor(() => {
      expect(screen.getByTestId('address')).toHaveTextContent('/estates/demo-fr-de/changes/4');
    });
    const made = server.asked.find((asked) => asked.path === path && asked.method === 'POST');
    expect(made?.body).toEqual({ key: 'a' });
    expect(made?.headers.get('If-Match')).toBe('"4-0"');
  });

  it('says what comes to light and what stays when all of a kind are fixed', async () => {
    const line = finding({ key: 'z', title: 'Queue is off' });
    server.on('GET', path, () => ({
      body: preview({ asked: 3, mended: 2, left_count: 1, left: [finding()], revealed_count: 1, revealed: [line] }),
    }));
    const { user, dialog } = await open();
    await user.click(within(dialog).getByRole('radio', { name: 'All SBD-102' }));
    expect(await within(dialog).findByText('Mends 2 of 3 findings')).toBeInTheDocument();
    expect(within(dialog).getByRole('list', { name: 'Findings that come to light' })).toHaveTextContent('Queue is off');
    expect(within(dialog).getByRole('list', { name: 'Findings that stay' })).toHaveTextContent('No route back');
    expect(server.asked.at(-1)?.query.get('code')).toBe('SBD-102');
  });

  it('says so when the finding is gone meanwhile', async () => {
    server.on('GET', path, () =>
      problem(409, 'finding-gone', 'There is no such finding any more.', { cure: 'Read the findings again.' }),
    );
    const { dialog } = await open();
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('There is no such finding any more.');
    expect(within(dialog).queryByRole('button', { name: /Add to/ })).not.toBeInTheDocument();
  });

  it('lets who may only look, look', async () => {
    server.on('GET', path, () => ({ body: preview() }));
    const { dialog } = await open('viewer');
    expect(await within(dialog).findByRole('button', { name: /Add to/ })).toHaveAttribute('aria-disabled', 'true');
  });
});
