import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import type { Lake, Run } from '@/contracts/api';
import { render } from '@/testing/render';
import { analyticsRun, lake } from '@/testing/runs';
import { problem, testServer } from '@/testing/server';

import { AnalyticsRoom } from './components/analytics-room';

const server = testServer();

const at = '/api/v1/estates/demo-fr-de';

function room(has: Lake, runs: Run[], role: 'editor' | 'operator' | 'viewer' = 'editor') {
  server.on('GET', `${at}/lake`, () => ({ body: has }));
  server.on('GET', `${at}/runs`, () => ({ body: runs }));
  server.on('GET', `${at}/runs/estimate`, () => ({
    body: { events: has.events, bytes: 1, files: 1, seconds: 40, judged_by: { events: 950, seconds: 38.2 } },
  }));
  render(<AnalyticsRoom />, { role, address: '/estates/demo-fr-de/analytics' });
  return userEvent.setup();
}

describe('the page of analytics', () => {
  it('says what it is for and what comes first where there is nothing yet', async () => {
    room(lake({ events: 0, first_at: null, last_at: null, exported_at: null, instances: [] }), []);
    const first = await screen.findByRole('region', { name: 'What this is for' });
    expect(first).toHaveTextContent('Press Export now');
    expect(screen.getByRole('button', { name: 'Start the run' })).toHaveAccessibleDescription(/no events yet/);
  });

  it('says what to do where Spark is missing, and bars what cannot be done', async () => {
    room(lake({ is_available: false }), []);
    expect(await screen.findByRole('region', { name: 'Spark is not installed' })).toHaveTextContent('make setup-spark');
    expect(screen.getByRole('button', { name: 'Export now' })).toHaveAccessibleDescription(/not installed/);
  });

  it('starts a run about the span that was chosen, of which it says how long it takes', async () => {
    const user = room(lake(), []);
    const started = analyticsRun({ state: 'queued', ended_at: null });
    server.on('POST', `${at}/runs`, () => ({ status: 201, body: started }));
    expect(await screen.findByText(/^About 40 s for 2.1M events, .*: 950 events in 38 s\.$/)).toBeInTheDocument();
    await user.click(screen.getByRole('radio', { name: 'Audit' }));
    await user.click(screen.getByRole('combobox', { name: 'Events' }));
    await user.click(await screen.findByRole('option', { name: 'Last hour in the lake' }));
    await user.click(screen.getByRole('button', { name: 'Start the run' }));
    await waitFor(() => {
      expect(screen.getByTestId('address')).toHaveTextContent(`/analytics/runs/${started.id}`);
    });
    const asked = server.asked.find(({ method }) => method === 'POST');
    expect(asked?.body).toMatchObject({ job: 'audit', since: '2026-11-26T08:00:00Z', until: null, revisions: null });
  });

  it('shows how each run stands, and deletes one only when asked twice', async () => {
    const lost = analyticsRun({
      id: 'b',
      job: 'audit',
      state: 'failed',
      problem: { code: 'job-lost' },
      ended_at: null,
    });
    const under = analyticsRun({ id: 'c', state: 'running', stage: 'by_hops', done: 3, total: 4, ended_at: null });
    const user = room(lake(), [under, lost, analyticsRun({ id: 'a' })]);
    server.on('DELETE', `${at}/runs/a`, () => ({ status: 200 }));
    const list = await screen.findByRole('region', { name: 'Runs' });
    expect(within(list).getByText('Writing table by_hops, 75%')).toBeInTheDocument();
    expect(within(list).getByText('Worker lost')).toBeInTheDocument();
    expect(within(list).getByRole('button', { name: /^Run Audit of .* again$/ })).toBeInTheDocument();
    await user.click(within(list).getByRole('button', { name: /^Delete Delivery of/ }));
    expect(server.asked.some(({ method }) => method === 'DELETE')).toBe(false);
    await user.click(await screen.findByRole('button', { name: 'Delete the run' }));
    expect(await screen.findByText('The run is deleted.')).toBeInTheDocument();
  });

  it('shows older runs when it is asked for them', async () => {
    const newest = Array.from({ length: 200 }, (_, at) => analyticsRun({ id: `n${at}` }));
    const user = room(lake(), []);
    server.on('GET', `${at}/runs`, ({ query }) => ({
      body: query.get('before') === 'n199' ? [analyticsRun({ id: 'old', job: 'audit' })] : newest,
    }));
    // By their text: the role and name of each part of two hundred rows are a second's work each time.
    const older = await screen.findByText('Show older runs');
    await user.click(older);
    expect(await screen.findByText('Audit', { selector: 'a' })).toBeInTheDocument();
    expect(screen.getAllByText('Delivery', { selector: 'a' })).toHaveLength(200);
    expect(older).not.toBeInTheDocument();
  });

  it('says whose run it is to who may not end or delete it', async () => {
    const under = { state: 'running', stage: 'by_hops', done: 3, total: 4, ended_at: null } as const;
    const runs = [
      analyticsRun({ id: 'a', job: 'audit', ...under }),
      analyticsRun({ id: 'b', job: 'delivery' }),
      analyticsRun({ id: 'c', job: 'paths', owner: null }),
      analyticsRun({ id: 'd', job: 'whatif', owner: 'tester' }),
    ];
    room(lake(), runs, 'operator');
    const list = await screen.findByRole('region', { name: 'Runs' });
    const act = (name: RegExp) => within(list).getByRole('button', { name });
    expect(act(/^Cancel Audit of/)).toHaveAccessibleDescription(/^ana has begun this\./);
    expect(act(/^Delete Delivery of/)).toHaveAccessibleDescription(/^ana has begun this\./);
    expect(act(/^Delete Paths of/)).toHaveAccessibleDescription(/has no account any more\./);
    expect(act(/^Delete What-if for all of/)).toBeEnabled();
    expect(act(/^Delete Delivery of/)).toBeDisabled();
  });

  const job = {
    id: '5c1f0c2e-0000-4000-8000-00000000abcd',
    kind: 'lake-import',
    title: 'Import of a trace',
    owner: 'ana',
    created_at: '2026-11-26T09:00:00Z',
    started_at: null,
    ended_at: null,
    heartbeat_at: null,
    stage: '',
    done: 0,
    total: 0,
    problem: null,
  };

  async function importTrace(user: ReturnType<typeof userEvent.setup>, zone = 'UTC') {
    await user.click(await screen.findByRole('button', { name: 'Import a trace' }));
    const dialog = await screen.findByRole('dialog', { name: 'A trace of a real server' });
    const begin = within(dialog).getByRole('button', { name: 'Import' });
    expect(begin).toBeDisabled();
    await choose(user, dialog, zone);
    await user.click(begin);
  }

  async function choose(user: ReturnType<typeof userEvent.setup>, dialog: HTMLElement, zone = 'UTC') {
    await user.upload(
      document.querySelector<HTMLInputElement>('input[type=file]') ?? document.body,
      new File(['EventClass,StartTime'], 'mine.csv', { type: 'text/csv' }),
    );
    await user.click(within(dialog).getByRole('combobox', { name: 'Instance' }));
    await user.click(await screen.findByRole('option', { name: 'PARIS' }));
    const zones = within(dialog).getByRole('combobox', { name: 'Time zone of its clock' });
    expect(zones).toHaveValue('UTC');
    // Their list has four hundred options: only the tests about the zone open it.
    if (zone !== 'UTC') {
      await user.click(zones);
      await user.click(await screen.findByText(zone));
    }
  }

  it('takes a trace, shows how far it is, and says what became of its rows', async () => {
    const user = room(lake(), []);
    let state = 'running';
    server.on('POST', `${at}/lake/traces`, () => ({ status: 202, body: { ...job, state: 'queued' } }));
    server.on('GET', `/api/v1/jobs/${job.id}`, () => ({
      body: { ...job, state, stage: 'importing', done: 1000, total: 4000 },
    }));
    server.on('GET', `/api/v1/jobs/${job.id}/result`, () => ({
      body: {
        rows: 1240,
        written: 1200,
        known: 1,
        rejected: 39,
        reasons: [
          { reason: 'no-number', column: 'EventSequence', rows: 30 },
          { reason: 'no-csv', column: '', rows: 8 },
          { reason: 'of-another-version', column: '', rows: 1 },
        ],
        other_reasons: 2,
      },
    }));
    await importTrace(user, 'Europe/Paris');
    const progress = await screen.findByRole('group', { name: 'Import of a trace' });
    expect(progress).toHaveTextContent('Reading the trace, 25%');
    expect(screen.getByTestId('address')).toHaveTextContent(`import=${job.id}`);
    const sent = server.asked.find(({ method, path }) => method === 'POST' && path === `${at}/lake/traces`);
    expect(sent?.body).toMatch(/name="time_zone"\s+Europe\/Paris/);
    const looks = server.asked.filter(({ path }) => path === `${at}/lake`).length;
    state = 'done';
    expect(await screen.findByText('1,200 rows taken, 39 rejected, 1 was there before.')).toBeInTheDocument();
    expect(screen.getByText('30 × EventSequence is no number')).toBeInTheDocument();
    expect(screen.getByText('8 × no row of CSV')).toBeInTheDocument();
    expect(screen.getByText('1 × of-another-version')).toBeInTheDocument();
    expect(screen.getByText('2 further reasons')).toBeInTheDocument();
    await waitFor(() => {
      expect(server.asked.filter(({ path }) => path === `${at}/lake`).length).toBeGreaterThan(looks);
    });
    await user.click(screen.getByRole('button', { name: 'Close this message' }));
    expect(screen.queryByText(/rows taken/)).not.toBeInTheDocument();
  });

  it.each([
    ['Europe/Paris', { rows: 40, taken: 38, missing: 2, rejected: 0 }, '38 rows taken out, 2 were not there.'],
    ['UTC', { rows: 1, taken: 1, missing: 0, rejected: 3 }, '1 row taken out; 3 rejected rows deleted.'],
    [
      'UTC',
      { rows: 0, taken: 0, missing: 0, rejected: 0 },
      /^Nothing was taken out: no row of the file is one of a trace/,
    ],
    [
      'UTC',
      { rows: 40, taken: 0, missing: 40, rejected: 0 },
      /^Nothing was taken out: under this instance and time zone, no row of the file/,
    ],
  ])('takes a trace out again, and says what that has done: %s, %s', async (zone, result, words) => {
    const user = room(lake(), []);
    const takesOut = { ...job, kind: 'lake-take-out', stage: 'taking-out', done: 10, total: 40 };
    let state = 'running';
    server.on('POST', `${at}/lake/traces/removal`, () => ({ status: 202, body: { ...takesOut, state: 'queued' } }));
    server.on('GET', `/api/v1/jobs/${job.id}`, () => ({ body: { ...takesOut, state } }));
    server.on('GET', `/api/v1/jobs/${job.id}/result`, () => ({ body: result }));
    await user.click(await screen.findByRole('button', { name: 'Import a trace' }));
    const dialog = await screen.findByRole('dialog');
    await user.click(within(dialog).getByRole('radio', { name: 'Take out again' }));
    expect(dialog).toHaveTextContent('Deletes what an import of this file has brought, rejected rows too.');
    await choose(user, dialog, zone);
    await user.click(within(dialog).getByRole('button', { name: 'Take out' }));
    const progress = await screen.findByRole('group', { name: 'Taking a trace out' });
    expect(progress).toHaveTextContent('Looking for the rows of the trace, 25%');
    const sent = server.asked.find(({ path }) => path === `${at}/lake/traces/removal`);
    expect(sent?.body).toMatch(new RegExp(`name="time_zone"\\s+${zone}\\s`));
    state = 'done';
    expect(await screen.findByText(words)).toBeInTheDocument();
  });

  it('cancels a trace that is being read', async () => {
    const user = room(lake(), []);
    let state = 'running';
    server.on('POST', `${at}/lake/traces`, () => ({ status: 202, body: { ...job, state: 'queued' } }));
    server.on('GET', `/api/v1/jobs/${job.id}`, () => ({ body: { ...job, state } }));
    server.on('POST', `/api/v1/jobs/${job.id}/cancel`, () => {
      state = 'cancelled';
      return { body: { ...job, state } };
    });
    await importTrace(user);
    const progress = await screen.findByRole('group', { name: 'Import of a trace' });
    await user.click(within(progress).getByRole('button', { name: 'Cancel' }));
    expect(await screen.findByText('Cancelled. Nothing of the trace was taken.')).toBeInTheDocument();
  });

  it('says in the dialog why a trace is not taken, and on the page why it could not be read', async () => {
    const user = room(lake(), []);
    server.on('POST', `${at}/lake/traces`, () => problem(413, 'too-large', 'The file is too large.'));
    await importTrace(user);
    const dialog = screen.getByRole('dialog');
    expect(await within(dialog).findByText(/The file is too large/)).toBeInTheDocument();
    server.on('POST', `${at}/lake/traces`, () => ({ status: 202, body: { ...job, state: 'queued' } }));
    const told = { code: 4861, detail: 'The file cannot be read.', why: '', cure: '' };
    server.on('GET', `/api/v1/jobs/${job.id}`, () => ({ body: { ...job, state: 'failed', problem: told } }));
    await user.click(within(dialog).getByRole('button', { name: 'Import' }));
    expect(await screen.findByText(/The file cannot be read/)).toBeInTheDocument();
  });

  it.each([
    [[], 'Exported. The lake has what the instances had.'],
    [['LYON'], 'Exported without LYON: it was passed over, for the reason given below.'],
    [['A', 'B', 'C', 'D', 'E', 'F'], /^Exported without A, B, C, D, E, …: they were passed over/],
  ])('says at the end of an export who was passed over: %s', async (passed, words) => {
    const user = room(lake(), []);
    const done = { ...job, kind: 'lake-export', state: 'done' };
    const [exported] = lake().instances;
    const told = { code: '5123', detail: 'The lake cannot be written', why: '', cure: '' };
    const instances = [exported, ...passed.map((name) => ({ ...exported, instance: name, problem: told }))];
    server.on('POST', `${at}/lake/export`, () => ({ status: 202, body: { ...done, state: 'queued' } }));
    server.on('GET', `/api/v1/jobs/${job.id}`, () => ({ body: done }));
    server.on('GET', `/api/v1/jobs/${job.id}/result`, () => ({ body: { ...lake(), instances } }));
    await user.click(await screen.findByRole('button', { name: 'Export now' }));
    expect(await screen.findByText(words)).toBeInTheDocument();
  });

  it('lets who may only look look', async () => {
    room(lake(), [], 'viewer');
    expect(await screen.findByRole('button', { name: 'Import a trace' })).toHaveAccessibleDescription(/operate/);
    expect(await screen.findByRole('button', { name: 'Export now' })).toHaveAccessibleDescription(/operate/);
  });
});
