import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import { assertion, assertionPage, assertionResult } from '@/testing/assertions';
import { demoEstate } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { problem, testServer } from '@/testing/server';

import { Assertions } from './components/assertions';

const server = testServer();
const at = '/api/v1/estates/demo-fr-de/assertions';
const failed = assertion({
  id: 2,
  name: 'Orders reach Berlin',
  state: 'failed',
  is_flaky: true,
  last: assertionResult({ assertion_id: 2, passed: false, why: 'No route of Ventes leads there.', proof: ['Step 1'] }),
  history: [
    { passed: false, at: '2026-11-25T08:00:00Z', revision: 3, version: 1 },
    { passed: true, at: '2026-11-25T07:00:00Z', revision: 3, version: 1 },
  ],
});

function show(address = '/', role: 'editor' | 'viewer' = 'editor') {
  render(<Assertions />, { estate: demoEstate(), role, address });
  return userEvent.setup();
}

describe('the page of assertions', () => {
  it('shows why one fails, how it fared in words, and that it is flaky', async () => {
    server.on('GET', at, () => ({ body: assertionPage([failed, assertion()]) }));
    show();
    const row = await screen.findByRole('row', { name: /Orders reach Berlin/ });
    expect(row).toHaveTextContent('No route of Ventes leads there.');
    expect(row).toHaveTextContent('Flaky');
    expect(row).toHaveTextContent(/failed at revision 3, .*; passed at revision 3/);
  });

  it('begins where there is none, from the flows', async () => {
    server.on('GET', at, () => ({ body: assertionPage([]) }));
    server.on('POST', `${at}/from-flows`, () => ({ body: { created: 3, already: 0, not_asked: 0 } }));
    const user = show();
    await user.click(await screen.findByRole('button', { name: 'Create from all possible flows' }));
    await waitFor(() => {
      expect(server.asked.find(({ method }) => method === 'POST')?.body).toMatchObject({ which: 'possible' });
    });
  });

  it('does one thing to many that are picked', async () => {
    server.on('GET', at, () => ({ body: assertionPage([failed, assertion()]) }));
    server.on('POST', `${at}/bulk`, () => ({ body: { changed: 2, unchanged: 0, gone: 0 } }));
    const user = show();
    await user.click(await screen.findByRole('checkbox', { name: 'Select all of this page' }));
    await user.click(screen.getByRole('button', { name: 'Disable' }));
    await waitFor(() => {
      expect(server.asked.find(({ method }) => method === 'POST')?.body).toEqual({ ids: [2, 1], action: 'disable' });
    });
  });

  it('forgets what was picked when something else is searched: what is not on view is never deleted', async () => {
    server.on('GET', at, () => ({ body: assertionPage([failed, assertion()]) }));
    const user = show();
    await user.click(await screen.findByRole('checkbox', { name: 'Select all of this page' }));
    expect(screen.getByRole('button', { name: 'Disable' })).toBeInTheDocument();
    await user.type(screen.getByRole('textbox', { name: 'Search names' }), 'zzz');
    await waitFor(() => {
      expect(screen.queryByRole('button', { name: 'Disable' })).not.toBeInTheDocument();
    });
    expect(screen.getByRole('checkbox', { name: 'Select all of this page' })).not.toBeChecked();
  });

  it('accepts what comes now only after old and new were shown', async () => {
    server.on('GET', at, () => ({ body: assertionPage([failed]) }));
    server.on('POST', `${at}/run`, () => ({
      body: { results: [assertionResult({ assertion_id: 2, passed: false, actual_text: 'it is delayed' })] },
    }));
    server.on('PATCH', `${at}/2`, () => ({ body: failed }));
    const user = show('/?assertion=2');
    await user.click(await screen.findByRole('button', { name: 'Accept what comes now' }));
    const dialog = await screen.findByRole('dialog');
    expect(await within(dialog).findByText('it is delayed')).toBeInTheDocument();
    expect(dialog).toHaveTextContent(failed.expected_text);
    await user.click(within(dialog).getByRole('button', { name: 'Accept' }));
    await waitFor(() => {
      expect(server.asked.find(({ method }) => method === 'PATCH')?.body).toEqual({ version: 1, re_pin: true });
    });
  });

  it('shows both sides when somebody else was quicker, and saves over theirs when told to', async () => {
    server.on('GET', at, () => ({ body: assertionPage([failed]) }));
    const { note, tags, expected } = failed;
    const theirs = { name: 'Their name', note, tags, expected, is_enabled: true };
    const parameters = { mine: { name: 'My name' }, theirs, version: 2, changed_by: 'marie' };
    server.on('PATCH', `${at}/2`, ({ body }) =>
      (body as { version: number }).version === 1
        ? problem(409, 'assertion-changed', 'Somebody else has changed it.', { parameters })
        : { body: failed },
    );
    const user = show('/?assertion=2');
    await user.click(await screen.findByRole('button', { name: 'Edit' }));
    const form = screen.getByRole('form', { name: 'Change the assertion' });
    const name = within(form).getByRole('textbox', { name: /^Name/ });
    await user.clear(name);
    await user.type(name, 'My name');
    await user.click(within(form).getByRole('button', { name: 'Save' }));
    const conflict = await within(form).findByRole('alert');
    expect(conflict).toHaveTextContent('My name');
    expect(conflict).toHaveTextContent('Their name');
    expect(conflict).toHaveTextContent('Saved by marie');
    await user.click(within(conflict).getByRole('button', { name: 'Save yours over it' }));
    await waitFor(() => {
      const sent = server.asked.filter(({ method }) => method === 'PATCH').map(({ body }) => body);
      expect(sent[1]).toEqual({ version: 2, re_pin: false, name: 'My name' });
    });
  });

  it('tells how many more routes there are than the coverage lists', async () => {
    server.on('GET', at, () => ({ body: assertionPage([]) }));
    const places = [{ instance: 'PARIS', database: 'Ventes', route: 'VersLyon' }];
    server.on('GET', `${at}/coverage`, () => ({
      body: {
        percent: 0,
        exercised: 0,
        counted: 501,
        never_exercised: places,
        never_exercised_total: 501,
        never_win: [],
        never_win_total: 0,
        flows: 0,
        flows_without: [],
        flows_without_total: 0,
      },
    }));
    show('/?tab=coverage');
    const part = (await screen.findByRole('heading', { name: 'Routes never exercised (501)' })).parentElement;
    expect(part).toHaveTextContent('VersLyon');
    expect(part).toHaveTextContent('and 500 more');
  });

  it('tells every mistake of a file by its line', async () => {
    server.on('GET', at, () => ({ body: assertionPage([]) }));
    const mistakes = [{ line: 4, column: 7, text: 'This service is not there.' }];
    server.on('POST', `${at}/file`, () =>
      problem(422, 'assertions-unreadable', 'The file has a mistake.', { parameters: { count: 1, mistakes } }),
    );
    const user = show('/?tab=file');
    await user.type(await screen.findByRole('textbox', { name: 'YAML' }), 'assertions:');
    await user.click(screen.getByRole('button', { name: 'Upload' }));
    expect(await screen.findByText('Line 4, column 7:')).toBeInTheDocument();
    expect(screen.getByText(/This service is not there/)).toBeInTheDocument();
  });
});
