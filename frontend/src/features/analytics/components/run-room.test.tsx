import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes } from 'react-router';
import { describe, expect, it } from 'vitest';

import type { Run } from '@/contracts/api';
import { render } from '@/testing/render';
import { analyticsRun } from '@/testing/runs';
import { problem, testServer } from '@/testing/server';

import { RunRoom } from './run-room';

const server = testServer();
const at = '/api/v1/estates/demo-fr-de';

function present(element: HTMLElement | undefined): HTMLElement {
  if (element === undefined) {
    throw new Error('It is not there.');
  }
  return element;
}

function page(run: Run, search = '') {
  server.on('GET', `${at}/runs/${run.id}`, () => ({ body: run }));
  render(
    <Routes>
      <Route path="/estates/:estate/analytics/runs/:run" element={<RunRoom />} />
      <Route path="*" element={<p>elsewhere</p>} />
    </Routes>,
    { address: `/estates/demo-fr-de/analytics/runs/${run.id}${search}` },
  );
  return userEvent.setup();
}

describe('the page of a run', () => {
  it('says when a lost worker was heard of last, and asks the same again', async () => {
    const run = analyticsRun({ state: 'failed', problem: { code: 'job-lost' }, ended_at: null });
    const user = page(run);
    expect(await screen.findByRole('alert')).toHaveTextContent('it was heard of last 26 Nov 2026, 09:14:00 UTC');
    const again = analyticsRun({ id: 'again', state: 'queued', ended_at: null });
    server.on('POST', `${at}/runs/${run.id}/again`, () => ({ status: 201, body: again }));
    server.on('GET', `${at}/runs/again`, () => ({ body: again }));
    await user.click(screen.getByRole('button', { name: 'Run again with the same question' }));
    await waitFor(() => {
      expect(screen.getByTestId('address')).toHaveTextContent('/analytics/runs/again');
    });
  });

  it('shows the problem of one that failed', async () => {
    const told = { code: 39019, detail: 'Spark has given up', why: 'No memory.', cure: 'Give it more.' };
    page(analyticsRun({ state: 'failed', problem: told }));
    expect(await screen.findByRole('alert')).toHaveTextContent('39019 · Spark has given upNo memory.Give it more.');
  });

  it('says why there is no such run', async () => {
    const run = analyticsRun();
    page(run);
    server.on('GET', `${at}/runs/${run.id}`, () => problem(404, 'not-found', 'There is no such run.'));
    expect(await screen.findByText('There is no such run.')).toBeInTheDocument();
  });

  const changes = {
    columns: [
      { name: 'change', type: 'text' },
      { name: 'instance', type: 'text' },
      { name: 'database', type: 'text' },
      { name: 'to_service', type: 'text' },
      { name: 'flows', type: 'integer' },
      { name: 'conversations', type: 'integer' },
    ],
    rows: [['lost', 'PARIS', 'Ventes', '//s', 1, 12_000]],
    total: 1,
  };
  const whatIf = analyticsRun({ job: 'whatif', tables: [] });

  it('says what it waits for', async () => {
    page(analyticsRun({ state: 'queued', stage: 'waiting', ended_at: null }));
    expect(await screen.findByText('Waiting for another run')).toBeInTheDocument();
  });

  it('goes from a row of changes to conversations, and from one of them to a single what-if', async () => {
    const user = page(whatIf);
    server.on('GET', `${at}/runs/${whatIf.id}/tables/changes`, () => ({ body: changes }));
    const verdict = { light: 'green', number: null, end_instance: 'LYON', end_database: 'E', route: 'r', path: [] };
    server.on('GET', `${at}/runs/${whatIf.id}/samples`, () => ({
      body: [
        {
          conversation_id: '81b1aa52-8d1e-4b57-9a4e-1f2d7b6c5e4f',
          change: 'lost',
          instance: 'PARIS',
          database: 'Ventes',
          service: '//me',
          direction: 'initiator',
          to_service: '//s',
          broker_instance: null,
          verdicts: [
            { ...verdict, revision: 118, disposition: 'delivered' },
            { ...verdict, revision: 121, disposition: 'discarded' },
          ],
        },
      ],
    }));
    const [classes] = await screen.findAllByRole('region', { name: 'What becomes of conversations' });
    await user.click(within(present(classes)).getByText('Table'));
    await user.click(await within(present(classes)).findByRole('button', { name: 'Samples' }));
    const samples = await screen.findByRole('complementary', { name: 'Sample conversations' });
    const links = await within(samples).findAllByRole('link', { name: 'Open in what-if' });
    expect(links.map((link) => new URL((link as HTMLAnchorElement).href).searchParams.get('revision'))).toEqual([
      '118',
      '121',
    ]);
    expect(within(samples).getByText('Delivered')).toBeInTheDocument();
    expect(screen.getByTestId('address')).toHaveTextContent('change=lost&on=PARIS&in=Ventes&to=%2F%2Fs');
    const asked = server.asked.find(({ path }) => path.endsWith('/samples'));
    expect(asked?.query.get('to_service')).toBe('//s');
  });

  it('sorts and filters a table by the server', async () => {
    const user = page(whatIf);
    server.on('GET', `${at}/runs/${whatIf.id}/tables/changes`, () => ({ body: changes }));
    const [classes] = await screen.findAllByRole('region', { name: 'What becomes of conversations' });
    const part = within(present(classes));
    await user.click(part.getByText('Table'));
    await user.click(await part.findByRole('button', { name: 'Instance' }));
    await user.click(part.getByRole('combobox', { name: 'Column' }));
    await user.click(await screen.findByRole('option', { name: 'Database' }));
    await user.type(part.getByRole('textbox', { name: 'Value' }), 'Ventes');
    await user.click(part.getByRole('button', { name: 'Filter' }));
    await waitFor(() => {
      const { query } = server.asked.findLast(({ path }) => path.endsWith('/changes')) ?? {};
      expect([query?.get('sort'), query?.get('descending'), query?.get('where')]).toEqual([
        'instance',
        'false',
        'database:Ventes',
      ]);
    });
    await user.click(part.getByRole('button', { name: 'Without the filter on Database' }));
    expect(part.getByRole('link', { name: 'Download table changes as CSV' })).toHaveAttribute(
      'href',
      `${at}/runs/${whatIf.id}/tables/changes/download?format=csv`,
    );
  });
});
