import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';

import type { ToldAnswer } from '@/contracts/api';
import { usePathStore } from '@/lib/path-store';
import { answer, question, stuck, there, undeliverable, whatIf } from '@/testing/answers';
import { demoEstate, names } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { problem, testServer } from '@/testing/server';
import { everyService } from '@/topology/lookup';
import { whatIfAddress } from '@/topology/what-if-address';

import { WhatIfPanel } from './what-if-panel';

const server = testServer();
const api = '/api/v1/estates/demo-fr-de';
const asked = whatIfAddress('demo-fr-de', question);

function answers(told: ToldAnswer) {
  server.on('POST', `${api}/what-if/answer`, () => ({ body: whatIf(told) }));
}

beforeEach(() => {
  server.on('GET', `${api}/change-sets`, () => ({ body: { items: [], total: 0, next_before: null } }));
  server.on('GET', `${api}/revisions`, () => ({ body: { items: [], total: 0, next_before: null } }));
  server.on('GET', `${api}/what-if/examples`, () => ({
    body: [{ question, disposition: 'delivered', light: 'green', number: null }],
  }));
});

const open = (address: string, more: Parameters<typeof render>[1] = {}) => {
  render(<WhatIfPanel map={<p>The map</p>} />, { address, ...more });
};
const address = () => decodeURIComponent(screen.getByTestId('address').textContent);

describe('as long as nothing is asked', () => {
  it('offers questions of the estate, and asks the one that is chosen', async () => {
    answers(answer());
    open('/estates/demo-fr-de/whatif');
    await userEvent.click(await screen.findByRole('link', { name: /Passation in PARIS Ventes to .*Größenprüfung/ }));
    expect(await screen.findByRole('heading', { name: 'Delivered' })).toBeInTheDocument();
    expect(address()).toContain('from=PARIS/Ventes/');
  });

  it('says that it looks for them, and asks them of what is supposed already', async () => {
    open('/estates/demo-fr-de/whatif?faults=instance/HUB&at=2027-01-01T00:00:00Z');
    expect(screen.getByRole('progressbar', { name: 'Telling questions are being looked for' })).toBeInTheDocument();
    const example = await screen.findByRole('link', { name: /Passation in PARIS Ventes to .*Größenprüfung/ });
    expect(screen.queryByRole('progressbar')).toBeNull();
    const asks = new URLSearchParams(example.getAttribute('href')?.split('?')[1]);
    expect(Object.fromEntries(asks)).toMatchObject({ faults: 'instance/HUB', at: '2027-01-01T00:00:00.000Z' });
  });

  it('finds a sender by its instance, also while another one is chosen', async () => {
    answers(answer());
    open(asked);
    const from = await screen.findByRole('combobox', { name: /^From/ });
    await userEvent.click(from);
    await userEvent.keyboard('lyon');
    expect(from).toHaveValue('lyon');
    const found = (await screen.findAllByRole('option')).map(({ textContent }) => textContent);
    const ofLyon = everyService(demoEstate()).flatMap(({ instance, value }) =>
      instance === 'LYON' ? [value.name] : [],
    );
    expect(ofLyon.length).toBeGreaterThan(0);
    expect(found).toEqual(ofLyon);
  });
});

describe('an answer', () => {
  it('says the end, the place that was reached, the number and what to do, and where a route is missing', async () => {
    answers(undeliverable);
    open(asked);
    expect(await screen.findByRole('heading', { name: 'No route' })).toBeInTheDocument();
    expect(screen.getByText(/got no further than PARIS/)).toBeInTheDocument();
    expect(screen.getByText(/9750 · No route matches/)).toBeInTheDocument();
    expect(screen.getByText('Live · revision 1')).toBeInTheDocument();
    const legs = screen.getByRole('group', { name: 'The four legs' });
    expect(within(legs).getAllByText('Not reached')).toHaveLength(3);
    const create = screen.getByRole('link', { name: 'Create route here' });
    expect(create.getAttribute('href')).toContain('edit=add');
  });

  it('says that a message stays which is never acknowledged', async () => {
    const lost = { ...stuck, instance: 'BERLIN' };
    answers(answer({ acknowledgement: [lost], reply: [], 'reply-acknowledgement': [] }));
    open(asked);
    expect(await screen.findByText(/stays in the transmission queue of Ventes/)).toBeInTheDocument();
  });

  it('lists the routes that were not it with one reason each, and has the map show them', async () => {
    answers(answer());
    open(asked);
    await userEvent.click(await screen.findByRole('button', { name: 'Why not the others? (2)' }));
    expect(screen.getByText('It would match in step 5, and step 2 had ended the search.')).toBeVisible();
    expect([...(usePathStore.getState().path?.losers ?? [])]).toEqual([
      'route/PARIS/Ventes/AutoCreatedLocal',
      'route/PARIS/Ventes/VersLyon',
    ]);
  });

  it('lets a proof be read in the language of the page, which it is told in', async () => {
    answers(answer());
    open(asked);
    const [proof] = await screen.findAllByText('The engine’s own words');
    expect(proof?.closest('details')?.querySelector('[lang]')).toBeNull();
  });

  it('is not asked for while a broker id is only half typed, and what is wrong is said in plain words', async () => {
    answers(answer());
    open(`${asked}&id=d4a8`);
    expect(await screen.findByText(/^A broker id is a GUID/)).toBeInTheDocument();
    const field = screen.getByRole('combobox', { name: /^Broker id/ });
    expect(field).toBeInvalid();
    const asks = () => server.asked.filter(({ path }) => path.endsWith('/what-if/answer'));
    expect(asks()).toEqual([]);
    await userEvent.tripleClick(field);
    await userEvent.paste('{D4A80000-0000-0000-0000-000000000005}');
    expect(await screen.findByRole('heading', { name: 'Delivered' })).toBeInTheDocument();
    expect(field).toBeValid();
    expect(asks()).toHaveLength(1);
  });

  it('keeps a blank that was typed before a pause: another word may follow', async () => {
    answers(answer());
    open(asked);
    const to = await screen.findByRole('combobox', { name: 'To service' });
    await userEvent.tripleClick(to);
    await userEvent.paste('Two ');
    await waitFor(() => {
      expect(address()).toMatch(/[?&]to=Two(&|$)/);
    });
    expect(to).toHaveValue('Two ');
  });

  it('is refused in the words of the server, with what may have been meant', async () => {
    server.on('POST', `${api}/what-if/answer`, () => problem(404, 'not-found', 'No such database.'));
    open(asked);
    expect(await screen.findByText('No such database.')).toBeInTheDocument();
  });

  it('names what is called almost as the service that nobody has', async () => {
    server.on('POST', `${api}/what-if/answer`, () => ({
      body: whatIf(undeliverable, { near_misses: [names.reception] }),
    }));
    open(asked);
    const near = await screen.findByRole('button', { name: names.reception });
    // A name spelled otherwise is the likelier cure, so it comes before a route for a service that nobody has.
    const create = screen.getByRole('link', { name: 'Create route here' });
    expect(near.compareDocumentPosition(create) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    expect(near).toHaveAttribute('data-variant', 'filled');
    expect(create).toHaveAttribute('data-variant', 'default');
    await userEvent.click(near);
    await waitFor(() => {
      expect(address()).toContain(`to=${names.reception}`);
    });
  });

  it('shows the T-SQL of a route that was not it, when that is selected on the map', async () => {
    const lines = ['VersLyon', 'AutoCreatedLocal'].map((name) => ({
      instance: 'PARIS',
      database: 'Ventes',
      name,
      text: `CREATE ROUTE [${name}] WITH …;`,
    }));
    server.on('POST', `${api}/what-if/answer`, () => ({ body: whatIf(answer(), { lines }) }));
    open(asked);
    await userEvent.click(await screen.findByRole('button', { name: 'Why not the others? (2)' }));
    await userEvent.click(screen.getByRole('button', { name: 'VersLyon' }));
    expect(address()).toContain('select=route/PARIS/Ventes/VersLyon');
    expect(screen.getByText('CREATE ROUTE [VersLyon] WITH …;')).toBeVisible();
    expect(screen.queryByText('CREATE ROUTE [AutoCreatedLocal] WITH …;')).toBeNull();
  });

  it('can be copied as text, and asked in the fault lab', async () => {
    const user = userEvent.setup();
    answers(undeliverable);
    open(`${asked}&faults=instance/LYON`);
    await user.click(await screen.findByRole('button', { name: 'Copy as text' }));
    expect(await screen.findByRole('button', { name: 'Copied' })).toBeInTheDocument();
    expect(await navigator.clipboard.readText()).toMatch(/^.*\nAsked under contract .*\n.*\n\nNo route\n/);
    expect(screen.getByRole('link', { name: 'What it depends on' }).getAttribute('href')).toMatch(
      /^\/estates\/demo-fr-de\/faults\?from=/,
    );
  });
});

describe('a mirrored pair on the way', () => {
  const first = there.hops.slice(0, 1).map((one) => ({ ...one, mirror_address: 'TCP://lyon:4022' }));
  const column = (name: string, told: ToldAnswer, isMirror: boolean | null, faults: unknown[] = []) => ({
    name,
    faults,
    answer: told,
    dialled:
      isMirror === null
        ? []
        : [{ instance: 'PARIS', table: 'Ventes', route: 'R', address: 'TCP://x:4022', is_mirror_address: isMirror }],
  });

  it('is compared in its three states, and one of them can be asked about', async () => {
    answers(answer({ message: [{ ...there, hops: first }] }));
    const partner = { kind: 'partner', instance: 'BERLIN', database: 'Lagerbestand', other: null, queue: null };
    const down = answer({ message: [{ ...stuck, disposition: 'nobody-claims' }] });
    server.on('POST', `${api}/what-if/triptych`, () => ({
      body: {
        basis: whatIf().basis,
        pair: [],
        columns: [
          column('as-is', answer(), false),
          column('failed-over', answer({ message: [{ ...there, instance: 'LYON' }] }), true, [partner]),
          column('both-down', down, null),
        ],
      },
    }));
    open(asked);
    await userEvent.click(await screen.findByRole('button', { name: 'Compare the three states of the pair' }));
    expect(await screen.findByRole('button', { name: /^As it is\s*Delivered/ })).toHaveTextContent(
      'Dialled: TCP://x:4022',
    );
    expect(screen.getByRole('button', { name: /^Both down\s*Unreachable, no principal/ })).toBeInTheDocument();
    const failedOver = screen.getByRole('button', { name: /^Failed over\s*Delivered/ });
    expect(failedOver).toHaveTextContent('MIRROR_ADDRESS');
    await userEvent.click(failedOver);
    expect(address()).toContain('faults=partner/BERLIN/Lagerbestand');
  });

  it('is not spoken of where there is none', async () => {
    answers(answer());
    open(asked);
    await screen.findByRole('heading', { name: 'Delivered' });
    expect(screen.queryByText('If the mirrored pair fails over')).toBeNull();
  });
});

describe('the player', () => {
  it('goes on and back by buttons and keys, says each step, and has the map follow', async () => {
    answers(answer());
    open(asked);
    const player = await screen.findByRole('region', { name: 'Player' });
    const told = within(player).getByRole('status');
    await userEvent.click(within(player).getByRole('button', { name: 'One step forward' }));
    expect(told).toHaveTextContent('Step 1 of 12, sent by PARIS to HUB');
    act(() => {
      player.focus();
    });
    await userEvent.keyboard('{ArrowRight}');
    expect(told).toHaveTextContent(
      'Step 2 of 12, forwarded by HUB to BERLIN, reason: route ToBerlin names the service',
    );
    expect(usePathStore.getState().path).toMatchObject({ now: 2, end: null });
    expect(screen.getByRole('listitem', { current: 'step' })).toHaveTextContent('HUB · msdb');
    await userEvent.keyboard('{End}');
    expect(told).toHaveTextContent('Step 12 of 12');
    expect(address()).toContain('leg=reply-acknowledgement');
    await userEvent.keyboard('{Home}{ArrowLeft}');
    expect(told).toHaveTextContent('Step 1 of 12');
  });

  it('begins a decision at its table when it plays', async () => {
    answers(answer());
    open(asked);
    const player = await screen.findByRole('region', { name: 'Player' });
    act(() => {
      player.focus();
    });
    await userEvent.keyboard(' ');
    expect(address()).toContain('stage=table');
    // Nothing is chosen yet, so no line is drawn.
    expect(usePathStore.getState().path?.hops).toMatchObject([{ number: 1, route: null }]);
    await userEvent.keyboard(' ');
    expect(within(player).getByRole('button', { name: 'Play' })).toBeInTheDocument();
  });
});

describe('a draft', () => {
  const estate = { ...demoEstate(), change_set: { number: 1, sequence: 4 } };

  it('is compared with what is live, and the hops that are other ones are named', async () => {
    const basis = { ...whatIf().basis, change_set: 1, sequence: 4 };
    const step = { instance: 'PARIS', table: 'Ventes', route: null, address: null, database: null, number: null };
    server.on('POST', `${api}/what-if/comparison`, () => ({
      body: {
        before: whatIf(undeliverable),
        after: whatIf(answer(), { basis }),
        difference: {
          change: 'gained',
          before: 'delayed',
          after: 'delivered',
          steps: [
            {
              leg: 'message',
              before: { ...step, number: 9750 },
              after: { ...step, route: 'VersBerlin', address: 'TCP://hub:4022' },
            },
          ],
        },
      },
    }));
    open(`${asked}&draft=1`, { estate });
    expect(await screen.findByText('Revision 1: No route')).toBeInTheDocument();
    expect(screen.getByText('Draft #1: Delivered')).toBeInTheDocument();
    expect(screen.getByText('no route: 9750 becomes VersBerlin to TCP://hub:4022')).toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'Delivered' })).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: /Revision 1: No route/ }));
    expect(await screen.findByRole('heading', { name: 'No route' })).toBeInTheDocument();
    expect(server.asked.find(({ path }) => path.endsWith('comparison'))?.body).toMatchObject({
      before: { change_set: null },
      after: { change_set: 1 },
    });
  });
});

it('asks under the contract that is chosen, and says under which it was asked', async () => {
  answers(answer({}, { contract: 'Achat', message_type: 'Commande' }));
  open(asked);
  await screen.findByRole('heading', { name: 'Delivered' });
  expect(screen.getByText('Asked under contract Achat, with message type Commande.')).toBeInTheDocument();
  await userEvent.type(screen.getByRole('combobox', { name: 'Contract' }), 'Achat');
  await waitFor(() => {
    expect(server.asked.at(-1)?.body).toMatchObject({ question: { ...question, contract: 'Achat' } });
  });
  expect(address()).toContain('contract=Achat');
});

it('asks about what stands in the address', async () => {
  answers(answer());
  open(`${asked}&contract=Achat&type=Commande&revision=3&at=2027-01-01T00:00:00Z&faults=instance/HUB,meteor/LYON`);
  await screen.findByRole('heading', { name: 'Delivered' });
  expect(server.asked.find(({ path }) => path.endsWith('answer'))?.body).toMatchObject({
    question: { ...question, contract: 'Achat', message_type: 'Commande' },
    revision: 3,
    change_set: null,
    at: '2027-01-01T00:00:00.000Z',
    faults: [{ kind: 'instance', instance: 'HUB' }],
  });
  expect(screen.getByText(/could not be read: meteor\/LYON/)).toBeInTheDocument();
});

it('says which part of a link it cannot read, and asks of now', async () => {
  answers(answer());
  open(`${asked}&revision=last&at=yesterday`);
  await screen.findByRole('heading', { name: 'Delivered' });
  expect(screen.getByRole('alert')).toHaveTextContent('cannot be read: revision=last, at=yesterday');
  expect(server.asked.find(({ path }) => path.endsWith('answer'))?.body).toMatchObject({ revision: null, at: null });
});
