import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';

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

let drafts: object[] = [];

beforeEach(() => {
  drafts = [];
  server.on('GET', '/api/v1/estates/demo-fr-de/change-sets', () => ({ body: { items: drafts, next_before: null } }));
});

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

  it('gives a new draft its title', async () => {
    server.on('GET', path, () => ({ body: preview() }));
    server.on('POST', '/api/v1/estates/demo-fr-de/change-sets', () => ({
      status: 201,
      body: { number: 4, sequence: 0 },
    }));
    server.on('POST', path, () => ({ body: { change_set: 4, sequence: 1 } }));
    const { user, dialog } = await open();
    await user.click(await within(dialog).findByRole('button', { name: 'Add to a new draft' }));
    await waitFor(() => {
      const begun = server.asked.find(({ method, path: at }) => method === 'POST' && at.endsWith('/change-sets'));
      expect(begun?.body).toEqual({ title: 'Fix: No route back to the initiator' });
    });
  });

  it('adds a fix to a draft that is open, and shows what it does to that draft', async () => {
    drafts = [{ number: 2, sequence: 5, title: 'Fixes of the week' }];
    server.on('GET', path, ({ query }) => ({
      body: preview({ change_set: query.get('change_set') === '2' ? { number: 2, sequence: 5 } : null }),
    }));
    server.on('POST', path, () => ({ body: { change_set: 2, sequence: 6 } }));
    const { user, dialog } = await open();
    await user.click(await within(dialog).findByRole('combobox', { name: 'Add to' }));
    await user.click(await screen.findByRole('option', { name: '#2 · Fixes of the week' }));
    expect(await within(dialog).findByText('Tried on draft #2')).toBeInTheDocument();
    await user.click(within(dialog).getByRole('button', { name: 'Add to draft #2' }));
    await waitFor(() => {
      expect(screen.getByTestId('address')).toHaveTextContent('/estates/demo-fr-de/changes/2');
    });
    const posts = server.asked.filter(({ method }) => method === 'POST');
    expect(posts.map(({ path: at }) => at)).toEqual([path]);
    expect(posts[0]?.headers.get('If-Match')).toBe('"2-5"');
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
