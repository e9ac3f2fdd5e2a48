// What headlines and charts say of whole tables: the server adds up, and what is not drawn is said.
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes } from 'react-router';
import { afterEach, expect, it } from 'vitest';

import type { Run } from '@/contracts/api';
import { showHeat, useHeatStore } from '@/lib/heat-store';
import { render } from '@/testing/render';
import { analyticsRun } from '@/testing/runs';
import { testServer } from '@/testing/server';

import { CompareRoom } from './components/compare-room';
import { RunRoom } from './components/run-room';

const server = testServer();
const at = '/api/v1/estates/demo-fr-de';
const whatIf = analyticsRun({ job: 'whatif', tables: [] });

afterEach(() => {
  act(() => {
    showHeat(null);
  });
});

function page(run: Run) {
  server.on('GET', `${at}/runs/${run.id}`, () => ({ body: run }));
  render(
    <Routes>
      <Route path="/estates/:estate/analytics/runs/:run" element={<RunRoom />} />
      <Route path="*" element={<p>elsewhere</p>} />
    </Routes>,
    { address: `/estates/demo-fr-de/analytics/runs/${run.id}` },
  );
  return userEvent.setup();
}

/** The sums of the server: the groups that it tells, and what all of them come to. */
function addsUp(
  run: Run,
  table: string,
  groups: Record<string, [rows: (string | number | null)[][], more?: number[]]>,
) {
  server.on('GET', `${at}/runs/${run.id}/tables/${table}/sums`, ({ query }) => {
    const [by, of] = [query.getAll('by'), query.getAll('of')];
    const [rows = [], [total = rows.length, ...sums] = []] = groups[by.join()] ?? [];
    const told = of.map((_, place) => rows.reduce((all, row) => all + Number(row[by.length + place]), 0));
    const whole = told.map((sum, place) => sums[place] ?? sum);
    return {
      body: {
        columns: [...by, ...of].map((name) => ({ name, type: of.includes(name) ? 'integer' : 'text' })),
        rows,
        total_groups: total,
        sums: whole,
        others: whole.map((sum, place) => sum - (told[place] ?? 0)),
      },
    };
  });
}

it('says what changes of all conversations, as the server has added them up, and what its charts leave out', async () => {
  addsUp(whatIf, 'changes', {
    change: [
      [
        ['unchanged', 3_200_000, 40_000],
        ['lost', 9_900, 9_900],
      ],
    ],
    'instance,database,change': [[['PARIS', 'Ventes', 'lost', 900]], [9_001, 9_900]],
    'instance,change,to_service': [[['PARIS', 'lost', '//s', 900]], [2, 9_900]],
  });
  page(whatIf);
  expect(await screen.findByText('9,900 of 3,209,900 conversations change.')).toBeInTheDocument();
  expect(await screen.findByText(/^And 9,000 others with 9,000 conversations/)).toBeInTheDocument();
  expect(await screen.findByText(/^And 1 other with 9,000 conversations/)).toBeInTheDocument();
  const asked = server.asked.filter(({ path }) => path.endsWith('/sums'));
  expect(asked.map(({ query }) => query.getAll('without'))).toEqual([[], ['change:unchanged'], ['change:unchanged']]);
  expect(server.asked.some(({ path }) => path.endsWith('/tables/changes'))).toBe(false);
});

it('says how many rows of two runs differ, or that none does', async () => {
  const other = analyticsRun({ ...whatIf, id: '7d1f7b0e-5f0a-4c58-9d43-5b1f2c9f6a02' });
  const by = 'change,instance,database,service,direction,to_service';
  const lost = ['lost', 'PARIS', 'Ventes', '//s', 'initiator', '//t'];
  const kept = ['unchanged', 'PARIS', 'Ventes', '//s', 'initiator', '//u'];
  const told = async (conversations: number) => {
    addsUp(whatIf, 'changes', { [by]: [[[...lost, 3, 1], [...kept, 7, 1]]] });
    addsUp(other, 'changes', { [by]: [[[...lost, conversations, 1], [...kept, 7, 1]]] });
    for (const run of [whatIf, other]) {
      server.on('GET', `${at}/runs/${run.id}`, () => ({ body: run }));
    }
    const { unmount } = render(
      <Routes>
        <Route path="/estates/:estate/analytics/compare" element={<CompareRoom />} />
      </Routes>,
      { address: `/estates/demo-fr-de/analytics/compare?one=${whatIf.id}&other=${other.id}` },
    );
    const said = (await screen.findByText(/differs?( in .*)?\.$/)).textContent;
    unmount();
    return said;
  };
  expect(await told(3)).toBe('Nothing differs in 2 rows.');
  expect(await told(5)).toBe('1 of 2 rows differs.');
});

it('has percentiles of all messages by hour, and those of a way that is chosen', async () => {
  const columns = ['hour_at', 'from_instance', 'from_database', 'route', 'to_service', 'messages'];
  const table = (name: string) => ({ name, rows: 1, checksum: '1', columns, seconds: 1 });
  const run = analyticsRun({ tables: [table('hourly'), table('by_hour')] });
  addsUp(run, 'hourly', { 'from_instance,from_database,route,to_service': [[['PARIS', 'd', null, 's', 5]], [4, 9]] });
  const hours = {
    columns: [
      { name: 'hour_at', type: 'time' },
      { name: 'messages', type: 'integer' },
    ],
    rows: [['2026-11-26T08:00:00Z', 5]],
    total: 1,
  };
  for (const name of ['by_hour', 'hourly']) {
    server.on('GET', `${at}/runs/${run.id}/tables/${name}`, () => ({ body: hours }));
  }
  const user = page(run);
  expect(await screen.findByRole('slider', { name: 'Messages by hour' })).toBeInTheDocument();
  expect(server.asked.some(({ path }) => path.endsWith('/tables/by_hour'))).toBe(true);
  expect(screen.getByText(/3 others have 4 messages/)).toBeInTheDocument();
  await user.click(screen.getByRole('combobox', { name: 'Instance, database, route and service' }));
  await user.click(await screen.findByRole('option', { name: 'PARIS · d · – · s' }));
  await waitFor(() => {
    expect(server.asked.findLast(({ path }) => path.endsWith('/tables/hourly'))?.query.getAll('where')).toEqual([
      'from_instance:PARIS',
      'from_database:d',
      'route:',
      'to_service:s',
    ]);
  });
});

it('does not call together what an older run cannot say together', async () => {
  const run = analyticsRun();
  addsUp(run, 'hourly', { '': [[[5]]] });
  page(run);
  await screen.findByRole('combobox', { name: 'Instance, database, route and service' });
  await waitFor(() => {
    expect(server.asked.some(({ path }) => path.endsWith('/tables/hourly'))).toBe(true);
  });
  expect(server.asked.some(({ path }) => path.endsWith('/tables/by_hour'))).toBe(false);
});

it('tells the map what changes where, and goes there', async () => {
  const user = page(whatIf);
  addsUp(whatIf, 'heat', { 'instance,from_instance,change': [[['HUB', 'PARIS', 'lost', 12_000]], [3, 12_007]] });
  await user.click(await screen.findByRole('button', { name: 'Show on the map' }));
  await waitFor(() => {
    expect(screen.getByTestId('address')).toHaveTextContent('/estates/demo-fr-de/topology');
  });
  expect(useHeatStore.getState().heat).toEqual({
    estate: 'demo-fr-de',
    run: whatIf.id,
    title: 'What-if for all: Revision 118 → 121 (without the 2 smallest steps)',
    steps: [{ instance: 'HUB', from_instance: 'PARIS', change: 'lost', conversations: 12_000 }],
  });
});
