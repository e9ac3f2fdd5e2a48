import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';

import type { FlowFuture } from '@/contracts/api';
import { question } from '@/testing/answers';
import { demoEstate } from '@/testing/demo-estate';
import { arrives, lost, matrix, mute, row, toldFault } from '@/testing/matrix';
import { render } from '@/testing/render';
import { problem, testServer } from '@/testing/server';
import type { Fault } from '@/topology/faults';
import { faultLabAddress } from '@/topology/what-if-address';

import { FaultLab } from './fault-lab';

const server = testServer();
const api = '/api/v1/estates/demo-fr-de/what-if';
const lab = '/estates/demo-fr-de/faults';

const paris: Fault = { kind: 'instance', instance: 'PARIS' };
const hub: Fault = { kind: 'instance', instance: 'HUB' };
const berlin: Fault = { kind: 'instance', instance: 'BERLIN' };
const link: Fault = { kind: 'link', instance: 'HUB', other: 'PARIS' };
const all = [paris, hub, berlin, link];

type MatrixAsked = { failures: Fault[][]; faults: Fault[]; question: unknown; only_changed: boolean };
const matrices = () =>
  server.asked.filter(({ path }) => path.endsWith('/matrix')).map(({ body }) => body as MatrixAsked);

beforeEach(() => {
  server.on('GET', `${api}/failures`, () => ({ body: all.map(toldFault) }));
  server.on('POST', `${api}/dependencies`, () => ({ body: all.map(toldFault) }));
  server.on('POST', `${api}/matrix`, ({ body }) => {
    const { failures } = body as MatrixAsked;
    const isHit = (faults: Fault[]) => faults.length > 1 || faults.some(({ kind }) => kind === 'link');
    const cells = failures.map((faults) =>
      faults.some(({ instance, kind }) => kind === 'instance' && instance === 'PARIS')
        ? mute
        : isHit(faults)
          ? lost
          : arrives,
    );
    return { body: matrix(failures, [row(question, cells)]) };
  });
});

const open = (address = lab, more: Parameters<typeof render>[1] = {}) => {
  render(<FaultLab />, { address, ...more });
};
const address = () => decodeURIComponent(screen.getByTestId('address').textContent);
const supposed = () => screen.getByRole('group', { name: 'What is supposed' });

describe('what can fail', () => {
  it('is switched on and off one by one, and stands in the address', async () => {
    open();
    const faults = screen.getByRole('complementary', { name: 'Faults' });
    await userEvent.click(await within(faults).findByRole('switch', { name: 'HUB' }));
    expect(address()).toContain('faults=instance/HUB');
    expect(supposed()).toHaveTextContent('HUB is down');
    await userEvent.click(within(faults).getByRole('switch', { name: 'HUB – PARIS' }));
    expect(address()).toContain('faults=instance/HUB,link/HUB/PARIS');
    await waitFor(() => {
      expect(matrices().at(-1)?.faults).toHaveLength(2);
    });
    // What is supposed already is no column any more.
    expect(
      matrices()
        .at(-1)
        ?.failures.map(([fault]) => fault?.instance),
    ).toEqual(['PARIS', 'BERLIN']);
    await userEvent.click(screen.getByRole('button', { name: 'Take back: HUB is down' }));
    expect(address()).toContain('faults=link/HUB/PARIS');
  });

  it('comes from the address, of which the unreadable part is named', async () => {
    open(`${lab}?faults=instance/HUB,meteor/LYON`);
    expect(await screen.findByRole('switch', { name: 'HUB' })).toBeChecked();
    expect(screen.getByText(/is not understood and left out: meteor\/LYON/)).toBeInTheDocument();
  });

  it('is all taken back at once, with the instant', async () => {
    open(`${lab}?faults=instance/HUB,meteor/LYON&at=2027-01-01T00:00:00Z`);
    await userEvent.click(screen.getByRole('button', { name: 'Reset faults' }));
    expect(address()).toBe(lab);
    expect(supposed()).toHaveTextContent('No fault is supposed');
    expect(screen.queryByRole('button', { name: 'Reset faults' })).toBeNull();
  });

  it('is no route: dropping one is a draft', async () => {
    open();
    const routes = await screen.findByRole('region', { name: 'Routes' });
    expect(within(routes).getByRole('link')).toHaveAttribute('href', '/estates/demo-fr-de/topology');
  });

  it('is refused in the words of the server', async () => {
    server.on('GET', `${api}/failures`, () => problem(404, 'not-found', 'There is no such estate.'));
    open();
    expect(await screen.findByText('There is no such estate.')).toBeInTheDocument();
  });
});

describe('every flow under every failure', () => {
  it('tells in each cell what becomes of the flow, and leads to the what-if with that failure', async () => {
    open();
    const grid = await screen.findByRole('grid', { name: 'Flows under failures' });
    const cell = within(grid).getByRole('link', { name: /^Link HUB – PARIS is cut: .*\(9754\), lost$/ });
    expect(cell.getAttribute('href')).toContain('faults=link%2FHUB%2FPARIS');
    expect(
      within(grid).getByRole('link', { name: /^PARIS is down: .*mute; the sender itself is down$/ }),
    ).toBeVisible();
    expect(within(grid).getByRole('columnheader', { name: /HUB – PARIS.*1 lost/ })).toBeInTheDocument();
  });

  it('is asked under every two at once', async () => {
    open();
    await userEvent.click(await screen.findByRole('radio', { name: 'Pairs' }));
    expect(await screen.findByText('1 flow under 4 pairs of failures')).toBeInTheDocument();
    expect(address()).toContain('preset=pairs');
    // PARIS takes its link along, so those two are no pair; HUB the same.
    expect(
      matrices()
        .at(-1)
        ?.failures.map((pair) => pair.map((fault) => fault.instance)),
    ).toEqual([
      ['PARIS', 'HUB'],
      ['PARIS', 'BERLIN'],
      ['HUB', 'BERLIN'],
      ['BERLIN', 'HUB'],
    ]);
    const [pair] = await screen.findAllByRole('link', { name: /^HUB is down \+ BERLIN is down: / });
    expect(pair?.getAttribute('href')).toContain('faults=instance%2FBERLIN%2Cinstance%2FHUB');
    // A flow by itself is asked under pairs then, too.
    expect(screen.getByTitle(/^Only this flow/).getAttribute('href')).toContain('preset=pairs');
  });

  it('tells an instance from its endpoint where both are paired', async () => {
    const endpoint: Fault = { kind: 'endpoint', instance: 'HUB' };
    server.on('GET', `${api}/failures`, () => ({ body: [berlin, hub, endpoint].map(toldFault) }));
    open(`${lab}?preset=pairs`);
    const heads = (await screen.findAllByTitle(/ \+ /)).map(({ textContent }) => textContent.replace(/\d+ lost.*/, ''));
    expect(heads).toContain('BERLINHUB');
    expect(new Set(heads).size).toBe(heads.length);
  });

  it('can be of some kinds, and says when none is chosen', async () => {
    open();
    await userEvent.click(await screen.findByRole('checkbox', { name: /^Instances/ }));
    await waitFor(() => {
      expect(matrices().at(-1)?.failures).toEqual([[toldFault(link)]]);
    });
    await userEvent.click(screen.getByRole('checkbox', { name: /^Links/ }));
    expect(await screen.findByText('Choose a kind of failure.')).toBeInTheDocument();
    expect(address()).toContain('kinds=none');
  });

  it('says so when nothing of it changes a flow', async () => {
    server.on('POST', `${api}/matrix`, ({ body }) => ({
      body: { ...matrix((body as MatrixAsked).failures, []), flows: 3 },
    }));
    open();
    expect(await screen.findByText(/3 flows were asked, and none of these failures/)).toBeInTheDocument();
  });

  it('says so when nothing is left to fail', async () => {
    server.on('GET', `${api}/failures`, () => ({ body: [toldFault(hub)] }));
    open(`${lab}?faults=instance/HUB`);
    expect(await screen.findByText('Everything that can fail is supposed to have failed.')).toBeInTheDocument();
  });
});

describe('one flow', () => {
  it('is chosen in the matrix, and asked under what it depends on', async () => {
    open();
    const flow = await screen.findByRole('link', { name: /Passation in PARIS Ventes/ });
    expect(flow).toHaveAttribute('href', faultLabAddress('demo-fr-de', question));
    await userEvent.click(flow);
    const table = await screen.findByRole('table', { name: 'One flow under failures' });
    expect(server.asked.find(({ path }) => path.endsWith('/dependencies'))?.body).toMatchObject({ question });
    expect(matrices().at(-1)).toMatchObject({ question, only_changed: false });
    const cut = within(table).getByRole('row', { name: /^Link HUB – PARIS is cut/ });
    expect(cut).toHaveTextContent(/9754.*Lost/);
    expect(within(cut).getByRole('link').getAttribute('href')).toContain('faults=link%2FHUB%2FPARIS');
    await userEvent.click(screen.getByRole('button', { name: 'Every flow' }));
    expect(await screen.findByRole('grid')).toBeInTheDocument();
    expect(address()).toBe(lab);
  });

  it('is asked under two of those at once that it outlives one by one', async () => {
    open(`${faultLabAddress('demo-fr-de', question)}&preset=pairs`);
    expect(await screen.findByText('1 flow under 1 pair of failures')).toBeInTheDocument();
    expect(screen.getByRole('row', { name: /^HUB is down \+ BERLIN is down/ })).toHaveTextContent('Lost');
    expect(matrices().at(-1)?.failures).toEqual([[toldFault(hub), toldFault(berlin)]]);
  });

  it('that no pair takes away has none', async () => {
    server.on('POST', `${api}/dependencies`, () => ({ body: [toldFault(paris), toldFault(link)] }));
    open(`${faultLabAddress('demo-fr-de', question)}&preset=pairs`);
    expect(await screen.findByText(/No two failures are left to pair/)).toBeInTheDocument();
  });

  it('of nobody is refused in the words of the server', async () => {
    server.on('POST', `${api}/dependencies`, () => problem(404, 'not-found', 'No such service.'));
    open(faultLabAddress('demo-fr-de', question));
    expect(await screen.findByText('No such service.')).toBeInTheDocument();
  });
});

describe('as time goes on', () => {
  const future: FlowFuture = {
    events: [
      {
        at: '2027-01-01T14:05:00Z',
        route: { instance: 'PARIS', database: 'Ventes', route: 'r_billing' },
        changes: [
          {
            key: 'one',
            question,
            change: 'lost',
            before: 'delivered',
            after: 'delayed',
            before_number: null,
            after_number: 9750,
            before_route: 'r_billing',
            after_route: null,
          },
        ],
      },
      {
        at: '2028-01-01T00:00:00Z',
        route: { instance: 'HUB', database: 'msdb', route: 'r_old' },
        changes: [],
      },
    ],
    not_looked_at: 0,
  };

  beforeEach(() => {
    server.on('POST', `${api}/future`, () => ({ body: future }));
  });

  it('says what comes next, and with the slider what each instant brings, which then holds for the whole lab', async () => {
    open(`${lab}?view=future`);
    const strip = await within(screen.getByRole('tabpanel')).findByRole('status');
    expect(strip).toHaveTextContent(
      /^Next, 1 Jan 2027, 14:05:00 UTC: Route r_billing of PARIS · Ventes expires: 1 flow becomes undeliverable\.$/,
    );
    const slider = screen.getByRole('slider', { name: 'Instant' });
    expect(slider).toHaveAttribute('aria-valuetext', 'Now');
    act(() => {
      slider.focus();
    });
    await userEvent.keyboard('{ArrowRight}');
    expect(address()).toContain('at=2027-01-01T14:05:00Z');
    expect(strip).toHaveTextContent(/^1 Jan 2027, 14:05:00 UTC Route r_billing/);
    await userEvent.keyboard('{ArrowRight}');
    expect(strip).toHaveTextContent(/Route r_old of HUB · msdb expires: no flow changes\.$/);
    const [first] = screen.getAllByRole('listitem', { current: false });
    expect(first).toHaveTextContent('r_billing');
    await userEvent.click(screen.getByRole('button', { name: 'Back to now' }));
    expect(address()).not.toContain('at=');
    expect(strip).toHaveTextContent(/^Next/);
  });

  it('leads to the what-if of a flow at that instant', async () => {
    open(`${lab}?view=future`);
    const ask = await screen.findByRole('link', { name: /^Ask what-if: from/ });
    expect(ask.getAttribute('href')).toContain('at=2027-01-01T14%3A05%3A00Z');
  });

  it('offers to look farther where nothing expires', async () => {
    server.on('POST', `${api}/future`, () => ({ body: { events: [], not_looked_at: 0 } }));
    open(`${lab}?view=future`);
    await userEvent.click(await screen.findByRole('button', { name: 'Look ten years ahead' }));
    expect(address()).toContain('days=3650');
    expect(await screen.findByText(/No route expires within ten years/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Look ten years ahead' })).toBeNull();
  });
});

describe('a draft', () => {
  it('is what is asked', async () => {
    open(`${lab}?draft=4`, { estate: { ...demoEstate(), change_set: { number: 4, sequence: 2 } } });
    await screen.findByRole('grid');
    expect(server.asked.find(({ path }) => path.endsWith('/failures'))?.query.get('change_set')).toBe('4');
    expect(matrices().at(-1)).toMatchObject({ change_set: 4 });
    expect(supposed()).toHaveTextContent('Draft #4');
  });
});
