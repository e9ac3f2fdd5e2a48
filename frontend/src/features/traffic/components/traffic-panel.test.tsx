import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';

import type { TrafficFigures, TrafficOffer, TrafficRun } from '@/contracts/api';
import { render } from '@/testing/render';
import { problem, testServer } from '@/testing/server';

import { TrafficPanel } from './traffic-panel';

const server = testServer();
const path = '/api/v1/estates/demo-fr-de/traffic';

const orders: TrafficOffer = {
  from_instance: 'PARIS',
  from_database: 'Ventes',
  from_service: '//exemple/Guichet',
  to_instance: 'LYON',
  to_database: 'Entrepôt',
  to_service: '//exemple/Réception',
  terms: [
    { contract: '//exemple/Contrat', message_type: '//exemple/Commande' },
    { contract: 'DEFAULT', message_type: 'DEFAULT' },
  ],
};
const checks: TrafficOffer = {
  ...orders,
  to_instance: 'BERLIN',
  to_database: 'Lager',
  to_service: '//beispiel/Prüfung',
  terms: [{ contract: 'DEFAULT', message_type: 'DEFAULT' }],
};

const never: TrafficRun = {
  state: 'never',
  plan: null,
  started_by: null,
  started_at: null,
  stopped_at: null,
  is_generated: false,
  heartbeat_at: null,
  rate: 0,
  left_open: 0,
  pairs: [],
};

function pair(
  { from_instance, from_database, from_service, to_service }: TrafficOffer,
  terms = { contract: 'DEFAULT', message_type: 'DEFAULT' },
) {
  return { from_instance, from_database, from_service, to_service, ...terms };
}

function figures(more: Partial<TrafficFigures> = {}): TrafficFigures {
  return {
    sent: 40,
    received: 39,
    replied: 20,
    answered: 19,
    failed: 0,
    dialogs: 2,
    waiting: 1,
    is_held: false,
    errors: [],
    ...more,
  };
}

function running(more: Partial<TrafficRun> = {}): TrafficRun {
  return {
    ...never,
    state: 'running',
    plan: { pairs: [pair(checks)], rate: 2, size: 100, reply_ratio: 0.5, dialog_messages: 10 },
    started_by: 'tester',
    started_at: '2026-01-01T00:00:00Z',
    is_generated: true,
    rate: 1.9,
    pairs: [figures()],
    ...more,
  };
}

beforeEach(() => {
  server.on('GET', `${path}/offers`, () => ({ body: [orders, checks] }));
  server.on('GET', path, () => ({ body: never }));
});

const row = (name: RegExp) => screen.getByRole('row', { name });

describe('test traffic', () => {
  it('is proposed for every pair that routing delivers, and started with what was chosen', async () => {
    server.on('POST', `${path}/start`, () => ({ body: running() }));
    render(<TrafficPanel />);
    await userEvent.click(
      await screen.findByRole('checkbox', { name: '//exemple/Guichet sends to //beispiel/Prüfung' }),
    );
    await userEvent.click(
      screen.getByRole('combobox', { name: 'What //exemple/Guichet sends to //exemple/Réception' }),
    );
    await userEvent.click(await screen.findByRole('option', { name: 'DEFAULT · DEFAULT' }));
    const slider = screen.getByRole('slider', { name: 'Messages a second, each pair' });
    fireEvent.keyDown(slider, { key: 'ArrowRight' });
    fireEvent.keyDown(slider, { key: 'ArrowRight' });
    await userEvent.click(screen.getByRole('button', { name: 'Start 1 pair' }));
    await screen.findByText('Running');
    expect(server.asked.find(({ method }) => method === 'POST')?.body).toEqual({
      pairs: [pair(orders)],
      rate: 5,
      size: 256,
      reply_ratio: 0.5,
      dialog_messages: 50,
    });
  });

  it('shows what each pair has done, and the rate against what was asked', async () => {
    server.on('GET', path, () => ({ body: running() }));
    render(<TrafficPanel />);
    expect(await screen.findByText('1.9 of 2 messages a second')).toBeVisible();
    expect(screen.getByRole('progressbar', { name: 'Achieved rate' })).toHaveAttribute('aria-valuenow', '95');
    const cells = within(row(/Prüfung/))
      .getAllByRole('cell')
      .map((cell) => cell.textContent);
    expect(cells.slice(3)).toEqual(['40', '39', '19', '1', '0']);
    expect(screen.queryByRole('row', { name: /Réception/ })).not.toBeInTheDocument();
    expect(screen.getByRole('textbox', { name: 'Size of a message in bytes' })).toBeDisabled();
    expect(screen.getByText('Started by tester, 1 Jan 2026, 00:00:00 UTC.')).toBeVisible();
  });

  it('tells what failed by its number, and what is held back', async () => {
    const errors = [{ code: -8408, count: 3, text: 'The service does not accept this contract.' }];
    server.on('GET', path, () => ({
      body: running({ pairs: [figures({ failed: 3, waiting: 20, is_held: true, errors })] }),
    }));
    render(<TrafficPanel />);
    const list = await screen.findByRole('region', { name: 'What did not work' });
    expect(list).toHaveTextContent(
      '-8408 · The service does not accept this contract. 3 times, //exemple/Guichet to //beispiel/Prüfung',
    );
    expect(row(/Prüfung/)).toHaveTextContent('20held back');
  });

  it('is stopped by the same button, which then says that it is being stopped', async () => {
    server.on('GET', path, () => ({ body: running() }));
    server.on('POST', `${path}/stop`, () => {
      server.on('GET', path, () => ({ body: running({ state: 'stopping' }) }));
      return { body: running({ state: 'stopping' }) };
    });
    render(<TrafficPanel />);
    await userEvent.click(await screen.findByRole('button', { name: 'Stop' }));
    await waitFor(() => {
      expect(screen.getByRole('button', { name: 'Stop' })).toHaveAccessibleDescription('It is being stopped.');
    });
    expect(screen.getByText('Stopping: what is open is being ended.')).toBeVisible();
  });

  it('is not started without a pair, nor for more than an estate sends', async () => {
    render(<TrafficPanel />);
    screen.getByRole('progressbar', { name: 'Reading the traffic' });
    const slider = await screen.findByRole('slider', { name: 'Messages a second, each pair' });
    for (const box of screen.getAllByRole('checkbox')) {
      await userEvent.click(box);
    }
    expect(screen.getByRole('button', { name: 'Start 0 pairs' })).toHaveAccessibleDescription('Choose a pair first.');
    for (const box of screen.getAllByRole('checkbox')) {
      await userEvent.click(box);
    }
    fireEvent.keyDown(slider, { key: 'End' });
    const size = screen.getByRole('textbox', { name: 'Size of a message in bytes' });
    await userEvent.clear(size);
    await userEvent.type(size, '100000');
    expect(screen.getByRole('button', { name: 'Start 2 pairs' })).toHaveAccessibleDescription(
      /more than 16,777,216 bytes a second/,
    );
    expect(server.asked.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('needs the right to operate', async () => {
    render(<TrafficPanel />, { role: 'viewer' });
    const button = await screen.findByRole('button', { name: 'Start 2 pairs' });
    expect(button).toHaveAccessibleDescription('Your role, viewer, may not operate instances and conversations.');
  });

  it('takes another pair, and says what the server refuses', async () => {
    server.on('POST', `${path}/start`, () =>
      problem(404, 15151, 'Contract Nul does not exist.', { pointer: '/pairs/2' }),
    );
    render(<TrafficPanel />);
    await userEvent.click(await screen.findByText('Another pair'));
    const choose = async (label: string, option: RegExp | string) => {
      await userEvent.click(screen.getByRole('combobox', { name: label }));
      await userEvent.click(await screen.findByRole('option', { name: option }));
    };
    await choose('From service', /Passation/);
    await choose('To service', /Größenprüfung/);
    await userEvent.click(screen.getByRole('button', { name: 'Add the pair' }));
    expect(row(/Passation.*not on offer/)).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Start 3 pairs' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('15151 · Contract Nul does not exist.');
  });
});
