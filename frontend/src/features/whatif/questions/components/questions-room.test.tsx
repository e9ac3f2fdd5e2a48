import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Job, TableAnswer, TableQuestion } from '@/contracts/api';
import { question } from '@/testing/answers';
import { render } from '@/testing/render';
import { problem, testServer } from '@/testing/server';
import { formatSender } from '@/topology/what-if-address';

import { QuestionsRoom } from './questions-room';

const server = testServer();
const api = '/api/v1/estates/demo-fr-de';
const basis = { revision: 1, change_set: null, sequence: null, at: '2026-01-01T00:00:00Z', is_now: true };
const live = { ...basis, engine_version: '0.1.0' };

const flow = (['instance', 'database', 'service', 'to_service'] as const).map((name) => ({
  name,
  kind: name,
  is_required: true,
  default: null,
  minimum: null,
  maximum: null,
}));
const days = { name: 'days', kind: 'number', is_required: false, default: 30, minimum: 0, maximum: 36500 } as const;
const seeds = { name: 'seeds', kind: 'integer', is_required: false, default: 10, minimum: 1, maximum: 100 } as const;
const reachColumns: TableAnswer['columns'] = [
  ...['instance', 'database', 'service', 'to_service', 'broker_instance'].map((name) => ({
    name,
    kind: 'name' as const,
  })),
  { name: 'disposition', kind: 'word' },
  { name: 'number', kind: 'error' },
];
const expiryColumns: TableAnswer['columns'] = [
  { name: 'at', kind: 'instant' },
  ...['instance', 'database', 'route'].map((name) => ({ name, kind: 'name' as const })),
  { name: 'lost', kind: 'number' },
];

function told(name: string, parameters: TableQuestion['parameters'], columns: TableAnswer['columns']): TableQuestion {
  const isJob = name === 'delivery_under_faults';
  return { name, help: `About ${name}.`, parameters, columns, key: [], heeds_faults: true, is_job: isJob };
}

function answer(name: string, columns: TableAnswer['columns'], more: Partial<TableAnswer> = {}): TableAnswer {
  const total = more.total ?? Math.max(more.rows?.length ?? 0, more.changes?.length ?? 0);
  return {
    question: name,
    columns,
    rows: [],
    changes: [],
    same: null,
    notes: [],
    page: 1,
    pages: 1,
    base: live,
    reference: null,
    ...more,
    total,
  };
}

const to = ['PARIS', 'Ventes', question.service, question.to_service, null];

beforeEach(() => {
  server.on('GET', `${api}/change-sets`, () => ({ body: { items: [], total: 0, next_before: null } }));
  server.on('GET', `${api}/revisions`, () => ({ body: { items: [], total: 0, next_before: null } }));
  server.on('GET', `${api}/what-if/questions`, () => ({
    body: [
      told('unreachable_services', [], reachColumns),
      told('expiring_routes', [days], expiryColumns),
      told('delivery_under_faults', [...flow, seeds], [{ name: 'seed', kind: 'number' }]),
    ],
  }));
});

const path = (name: string) => `${api}/what-if/questions/${name}`;
const open = (search = '') => {
  render(<QuestionsRoom />, { address: `/estates/demo-fr-de/whatif/questions${search}` });
};
const address = () => decodeURIComponent(screen.getByTestId('address').textContent);
const bodies = (name: string) => server.asked.filter((each) => each.path === path(name)).map(({ body }) => body);

describe('the room of questions', () => {
  it('says that it asks every flow as long as there is no answer', async () => {
    server.on('POST', path('unreachable_services'), () => ({ body: answer('unreachable_services', reachColumns) }));
    open('?question=unreachable_services');
    expect(await screen.findByText(/^Every flow is asked/)).toBeInTheDocument();
    await waitFor(() => {
      expect(screen.queryByText(/^Every flow is asked/)).toBeNull();
    });
    expect(screen.getByText('Every possible flow works.')).toBeInTheDocument();
  });

  it('says what each question is good for, and asks the one that is chosen of what the address supposes', async () => {
    server.on('POST', path('unreachable_services'), () => ({
      body: answer('unreachable_services', reachColumns, { rows: [[...to, 'delayed', 9750]] }),
    }));
    open('?faults=instance%2FPARIS&revision=1');
    await userEvent.click(await screen.findByRole('button', { name: /Unreachable services/ }));
    const row = await screen.findByRole('row', { name: /Ventes/ });
    expect(within(row).getByText('No route')).toBeInTheDocument();
    expect(within(row).getByText('9750')).toBeInTheDocument();
    const link = within(row).getByRole('link', { name: /Open in what-if: PARIS/ });
    expect(link.getAttribute('href')).toMatch(/whatif\?from=PARIS.*faults=instance%2FPARIS/);
    expect(bodies('unreachable_services')).toHaveLength(1);
    expect(bodies('unreachable_services')[0]).toMatchObject({
      parameters: {},
      after: { revision: 1, faults: [{ instance: 'PARIS' }] },
    });
    expect(address()).toContain('question=unreachable_services');
  });

  it('words what differs with the cells of before and after, and what the table does not cover', async () => {
    const row = (end: string, number: number) => [...to, end, number];
    server.on('POST', path('unreachable_services'), () => ({
      body: answer('unreachable_services', reachColumns, {
        reference: live,
        base: { ...live, change_set: 3, sequence: 2 },
        same: 4,
        changes: [{ change: 'changed', before: row('nobody-there', 9760), after: row('delayed', 9750) }],
        notes: [{ kind: 'nobody', count: null, names: ['revision 1'] }],
      }),
    }));
    open('?question=unreachable_services&draft=3');
    const changed = await screen.findByRole('row', { name: /Changed/ });
    expect(within(changed).getByText('Nobody there').closest('del')).not.toBeNull();
    expect(within(changed).getByText('No route').closest('ins')).not.toBeNull();
    expect(screen.getByText('1 row differs, 4 are alike')).toBeInTheDocument();
    expect(screen.getByText('The sender is not there in revision 1: it has no rows.')).toBeInTheDocument();
    expect(bodies('unreachable_services')[0]).toMatchObject({ after: { change_set: 3 }, before: { change_set: null } });
  });

  it('sorts by a head, which stands in the address, and asks for other pages at the same instant', async () => {
    const rows = [['2027-01-01T00:00:00Z', 'PARIS', 'Ventes', 'Old', 2]];
    server.on('POST', path('expiring_routes'), () => ({
      body: answer('expiring_routes', expiryColumns, { rows, total: 500, pages: 3 }),
    }));
    open('?question=expiring_routes');
    await userEvent.click(await screen.findByRole('button', { name: 'Lost' }));
    await waitFor(() => {
      expect(address()).toContain('sort=lost');
    });
    expect(screen.getByRole('columnheader', { name: /Lost/ })).toHaveAttribute('aria-sort', 'ascending');
    await userEvent.click(screen.getByRole('button', { name: 'Lost' }));
    await waitFor(() => {
      expect(bodies('expiring_routes').at(-1)).toMatchObject({
        sort: 'lost',
        descending: true,
        after: { at: basis.at },
      });
    });
    const link = screen.getByRole('link', { name: /Show on the map: PARIS · Ventes · Old/ });
    expect(link.getAttribute('href')).toContain('select=route%2FPARIS%2FVentes%2FOld');
    await userEvent.click(screen.getByRole('button', { name: 'Next page' }));
    await waitFor(() => {
      expect(bodies('expiring_routes').at(-1)).toMatchObject({ page: 2 });
    });
  });

  it('asks a number when it is entered, and says the refusal of the server', async () => {
    server.on('POST', path('expiring_routes'), ({ body }) =>
      (body as { parameters: { days?: number } }).parameters.days === 40000
        ? problem(422, 153, 'It must be between 0 and 36500.')
        : { body: answer('expiring_routes', expiryColumns) },
    );
    open('?question=expiring_routes');
    expect(await screen.findByText('No route expires within this time.')).toBeInTheDocument();
    await userEvent.type(screen.getByRole('textbox', { name: 'Days ahead' }), '40000{Enter}');
    expect(await screen.findByText(/It must be between 0 and 36500/)).toBeInTheDocument();
    expect(address()).toContain('days=40000');
  });

  it('says that a question is none, and what is missing of one', async () => {
    open('?question=weather');
    expect(await screen.findByText(/no question called weather/)).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: /Delivery under faults/ }));
    expect(await screen.findByText('Choose who sends, and to which service.')).toBeInTheDocument();
  });
});

describe('a simulation', () => {
  const job = (state: Job['state'], done = 0): Job => ({
    id: '11111111-1111-1111-1111-111111111111',
    kind: 'simulation',
    title: 'Simulate',
    state,
    owner: 'tester',
    created_at: basis.at,
    started_at: basis.at,
    ended_at: null,
    heartbeat_at: basis.at,
    stage: '',
    done,
    total: 2,
    problem: null,
  });
  const asked = new URLSearchParams({
    question: 'delivery_under_faults',
    from: formatSender(question),
    to: question.to_service,
    seeds: '2',
  });

  it('is begun, watched, and told as a table with its file', async () => {
    let state: Job = job('running', 1);
    server.on('POST', path('delivery_under_faults'), () => ({ status: 202, body: job('queued') }));
    server.on('GET', `/api/v1/jobs/${state.id}`, () => ({ body: state }));
    server.on('GET', `/api/v1/jobs/${state.id}/result`, () => ({
      body: answer('delivery_under_faults', [{ name: 'seed', kind: 'number' }], { rows: [[1], [2]] }),
    }));
    open(`?${asked.toString()}`);
    await userEvent.click(await screen.findByRole('button', { name: 'Simulate' }));
    expect(await screen.findByText('World 1 of 2')).toBeInTheDocument();
    expect(address()).toContain(`job=${state.id}`);
    expect(bodies('delivery_under_faults')).toHaveLength(1);
    expect(bodies('delivery_under_faults')[0]).toMatchObject({ parameters: { seeds: 2, service: question.service } });
    state = job('done', 2);
    expect(await screen.findByText('2 rows')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Download CSV' }).getAttribute('href')).toContain('/simulations/1111');
    expect(screen.getByRole('link', { name: 'Open in what-if' })).toBeInTheDocument();
  });

  it('is cancelled, and says how far it came', async () => {
    let state: Job = job('running', 1);
    server.on('GET', `/api/v1/jobs/${state.id}`, () => ({ body: state }));
    server.on('POST', `/api/v1/jobs/${state.id}/cancel`, () => {
      state = job('cancelled', 1);
      return { body: state };
    });
    open(`?${asked.toString()}&job=${state.id}`);
    await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
    expect(await screen.findByText(/Cancelled after 1 of 2 worlds/)).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: /Expiring routes/ }));
    await waitFor(() => {
      expect(address()).not.toContain('job=');
    });
  });
});
