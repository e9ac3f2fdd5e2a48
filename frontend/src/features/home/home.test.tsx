import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Job } from '@/contracts/api';
import { liveSession } from '@/lib/live-session';
import { useLiveStore } from '@/lib/live-store';
import type { InstanceSummary } from '@/live/summary';
import { keyOf, newTopic, type TopicState } from '@/live/streams';
import type { Table } from '@/live/tables';
import { demoEstate } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { problem, testServer } from '@/testing/server';
import { databaseSummary, instanceSummary, summaryTable } from '@/testing/summaries';

import { Home } from './components/home';

const server = testServer();
const estate = demoEstate();
const path = '/api/v1/estates/demo-fr-de';
const wanted = { estate: estate.name, topic: 'instances', params: {} } as const;
const names = estate.instances.map(({ name }) => name);

function all(change: Record<string, Partial<InstanceSummary>> = {}): InstanceSummary[] {
  return names.map((name) => instanceSummary(name, [databaseSummary('Ventes')], change[name]));
}

function tell(table: Table, more: Partial<TopicState> = {}) {
  const state: TopicState = {
    ...newTopic(wanted, 1),
    stream: 's',
    seq: 1,
    table,
    isCurrent: true,
    awaitsSnapshot: false,
    seenAt: Date.now(),
    ...more,
  };
  act(() => {
    useLiveStore.setState({ topics: { [keyOf(wanted)]: state } });
  });
}

beforeEach(() => {
  useLiveStore.setState({ connection: { phase: 'ready', failures: 0 }, topics: {} });
  server.on('GET', `${path}/revisions`, () => ({
    body: {
      items: [
        {
          number: 4,
          author: 'anna',
          created_at: '2026-01-01T00:00:00Z',
          summary: 'Add route VersLyon',
          origin: 'ui',
          change_set: null,
        },
      ],
      total: 1,
      next_before: null,
    },
  }));
  server.on('GET', `${path}/change-sets`, () => ({ body: { items: [], total: 2, next_before: null } }));
  server.on('GET', `${path}/findings`, () => ({ body: { errors: 1, warnings: 2, infos: 0, findings: [] } }));
  tellAssertions({ all: 4, passed: 3, failed: 1 });
  server.on('GET', '/api/v1/jobs', () => ({ body: [] }));
});

function tellAssertions(counts: Record<string, number>) {
  const none = { all: 0, passed: 0, failed: 0, never_run: 0, disabled: 0 };
  server.on('GET', `${path}/assertions/summary`, () => ({
    body: { counts: { ...none, ...counts }, last_run: null },
  }));
}

/** What does not come live is there when this is over. */
async function open(table: Table, more: Partial<TopicState> = {}) {
  render(<Home />);
  tell(table, more);
  await screen.findByText('Add route VersLyon');
  await screen.findByText('1 error, 2 warnings');
  await screen.findByText('No job is running.');
}

function rung(title: RegExp): HTMLElement {
  const found = screen
    .getAllByRole('listitem')
    .find((one) => one.hasAttribute('data-rung') && title.test(one.textContent));
  if (found === undefined) {
    throw new Error(`no rung ${title.source}`);
  }
  return found;
}

const tile = (name: RegExp) => screen.getByRole('link', { name });

describe('the overview', () => {
  it('says that all is well only when everybody has said so', async () => {
    render(<Home />);
    expect(screen.getByRole('progressbar', { name: 'What the instances say is on its way' })).toBeInTheDocument();
    tell(summaryTable(all()));
    expect(screen.getByText('All 13 checks are good.')).toBeInTheDocument();
    expect(tile(/^Disabled queues/)).toHaveTextContent('Disabled queues0');
    expect(await screen.findByText('Add route VersLyon')).toBeInTheDocument();
    expect(await screen.findByText('2 drafts are open')).toBeInTheDocument();
    expect(await screen.findByText('No job is running.')).toBeInTheDocument();
    expect(await screen.findByText('1 error, 2 warnings')).toBeInTheDocument();
  });

  it.each([
    ['fail', { all: 4, passed: 3, failed: 1 }, '1', 'of 4'],
    ['all hold, and one is off', { all: 4, passed: 3, disabled: 1 }, '0', 'of 3'],
    ['were not all run', { all: 4, passed: 3, never_run: 1 }, 'Unknown', ''],
    ['fail, and others were not run', { all: 4, failed: 2, never_run: 2 }, '2', '2 never run'],
    ['are all off', { all: 2, disabled: 2 }, 'none', 'nothing is asserted'],
  ])('tells assertions that %s', async (_case, counts, value, note) => {
    tellAssertions(counts);
    await open(summaryTable(all()));
    const tile = (await screen.findByText('Failing assertions')).closest('a');
    expect(tile).toHaveAttribute('href', '/estates/demo-fr-de/assertions');
    await waitFor(() => {
      expect(tile).toHaveTextContent(`Failing assertions${value}${note}`);
    });
  });

  it('leads from a disabled queue to its row', async () => {
    await open(
      summaryTable(
        all({ LYON: { databases: [databaseSummary('Entrepôt', { disabled_queues: ['dbo.Commandes reçues'] })] } }),
      ),
    );
    expect(screen.getByText('1 check is not good. Begin with “Queues enabled”.')).toBeInTheDocument();
    const link = within(rung(/^Queues enabled/)).getByRole('link', { name: 'LYON · Entrepôt · dbo.Commandes reçues' });
    const address = new URL(link.getAttribute('href') ?? '', 'http://here');
    expect(address.pathname).toBe('/estates/demo-fr-de/live/queues');
    expect(Object.fromEntries(address.searchParams)).toEqual({
      instance: 'LYON',
      database: 'Entrepôt',
      text: 'dbo.Commandes reçues',
    });
    expect(rung(/^Queues enabled/)).toHaveAttribute('aria-current', 'step');
  });

  it('names who is silent, with the reason, and calls nothing good', async () => {
    const silent = { unavailable: { reason: 'no worker has it', since: 1_700_000_000 } };
    await open(summaryTable(all({ LYON: { endpoint_state: 'STOPPED' } }), { LYON: silent }));
    expect(
      screen.getByText('No trouble is known, and not everything is known. Begin with “Broker enabled”.'),
    ).toBeInTheDocument();
    expect(screen.getByRole('list', { name: 'Instances that do not answer' })).toHaveTextContent(
      'LYON: Not connected. LYON does not answer: no worker has it',
    );
    expect(rung(/^Endpoint started/)).toHaveTextContent('Not known of LYON.');
    expect(rung(/^Endpoint started/)).toHaveTextContent(/LYON · STOPPEDas of/);
    expect(tile(/^Disabled queues/)).toHaveTextContent('without LYON');
  });

  it('says once that the browser is cut off, and shows no figure as of now', async () => {
    await open(summaryTable(all()), { isCurrent: false });
    expect(screen.getByText('Every instance: Offline.')).toBeInTheDocument();
    expect(tile(/^Disabled queues/)).toHaveTextContent('Unknown');
  });

  it('says so at once on a page that is opened while the server is away', async () => {
    liveSession.feed({ type: 'start' });
    liveSession.feed({ type: 'closed' });
    render(<Home />);
    expect(screen.getByText('Every instance: Offline.')).toBeInTheDocument();
    expect(screen.queryByRole('progressbar', { name: 'What the instances say is on its way' })).toBeNull();
    expect(await screen.findByText('No job is running.')).toBeInTheDocument();
    await screen.findByText('Add route VersLyon');
    await screen.findByText('1 error, 2 warnings');
  });

  it('tells who may not see it by the number', async () => {
    await open(summaryTable([]), {
      denied: { code: 4403, reason: 'forbidden', detail: 'The right to view is missing.' },
      isCurrent: false,
      seq: 0,
    });
    expect(screen.getByText('Every instance: Not allowed.').parentElement).toHaveTextContent(
      'Error 4403: The right to view is missing.',
    );
    expect(rung(/^Broker enabled/)).toHaveTextContent('Not allowed');
    expect(screen.getByRole('link', { name: /Undelivered messages/ })).toHaveTextContent('Not allowed');
  });

  it('names a few places of many, and how many more there are', async () => {
    const databases = Array.from({ length: 9 }, (_, number) =>
      databaseSummary(`D${number}`, { is_broker_enabled: false }),
    );
    await open(summaryTable(all({ PARIS: { databases } })));
    const links = within(rung(/^Broker enabled/)).getAllByRole('link');
    expect(links).toHaveLength(7);
    expect(links.at(-1)).toHaveTextContent('3 more');
    expect(links[0]).toHaveAttribute('href', '/estates/demo-fr-de/topology?select=database%2FPARIS%2FD0');
  });

  it('shows jobs until they are over, and those whose worker is gone', async () => {
    const job: Job = {
      id: '1',
      kind: 'import',
      title: 'Import of hub.sql',
      state: 'running',
      owner: 'anna',
      created_at: '2026-01-01T00:00:00Z',
      started_at: '2026-01-01T00:00:01Z',
      ended_at: null,
      heartbeat_at: '2026-01-01T00:00:09Z',
      stage: 'read',
      done: 3,
      total: 12,
      problem: null,
    };
    server.on('GET', '/api/v1/jobs', () => ({ body: [job, { ...job, id: '2', title: 'An old one', state: 'done' }] }));
    render(<Home />);
    expect(await screen.findByRole('progressbar', { name: 'Import of hub.sql: 3 of 12' })).toHaveAttribute(
      'aria-valuenow',
      '25',
    );
    expect(screen.getByText(/Its worker was last heard of/)).toBeInTheDocument();
    expect(screen.queryByText('An old one')).toBeNull();
  });

  it('says what could not be read, beside what could', async () => {
    server.on('GET', `${path}/revisions`, () => problem(403, 4030, 'You may not see revisions.'));
    render(<Home />);
    tell(summaryTable(all()));
    expect(await screen.findByText(/You may not see revisions/)).toBeInTheDocument();
    expect(screen.getByText('All 13 checks are good.')).toBeInTheDocument();
  });
});
