import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';

import { useLiveStore } from '@/lib/live-store';
import { emptyLive } from '@/live/compose';
import { databaseView, instanceView, names } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { problem, testServer, type Answer } from '@/testing/server';

import { batchesOf, expandBodies } from '../bodies';
import { useConversationsStore } from '../conversations-store';
import { ConsolePanel } from './console-panel';

const server = testServer();
/** The first thing that was done: what is read beside it comes when it will. */
const posted = () => server.asked.find(({ method }) => method === 'POST');
const base = '/api/v1/estates/demo-fr-de/instances/PARIS/databases/Ventes';
const handle = '11111111-2222-4333-8444-555555555555';
const own = {
  instance: 'PARIS',
  database: 'Ventes',
  handle,
  fromService: names.orders,
  toService: names.reception,
  contract: names.contract,
};

const reception = '/api/v1/estates/demo-fr-de/instances/LYON/databases/Entrepôt/queues/dbo.Réception';
const receptionChosen = `/?queue=${encodeURIComponent(['LYON', 'Entrepôt', 'dbo.Réception'].map(encodeURIComponent).join('/'))}`;

beforeEach(() => {
  useConversationsStore.setState({ own: {} });
  useLiveStore.setState({ live: emptyLive });
});

type Send = { bodies: string[]; message_type: string };

/** Numbers messages as the engine does. */
function acceptMessages(failsFrom = Infinity): void {
  let next = 0;
  server.on('POST', `${base}/conversations/${handle}/messages`, ({ body }) => {
    const count = (body as Send).bodies.length;
    if (next >= failsFrom) {
      return problem(422, 8429, 'The conversation endpoint is not in a valid state for SEND.');
    }
    const first = next;
    next += count;
    return { status: 201, body: { first_sequence_number: first, last_sequence_number: next - 1, count } };
  });
}

describe('beginning a dialog', () => {
  it('takes the service and its contract from the address and the estate', async () => {
    server.on('POST', `${base}/conversations`, () => ({
      status: 201,
      body: { conversation_handle: handle, conversation_id: handle, conversation_group_id: handle },
    }));
    const user = userEvent.setup();
    render(<ConsolePanel />, { address: '/?at=PARIS/Ventes' });
    await user.click(screen.getByRole('combobox', { name: /^to service/i }));
    await user.paste(names.reception);
    await user.click(screen.getByRole('button', { name: 'Begin dialog' }));

    expect(await screen.findByText(`→ ${names.reception}`)).toBeInTheDocument();
    expect(posted()?.body).toEqual({
      from_service: names.orders,
      encryption: false,
      to_service: names.reception,
      to_broker_instance: null,
      contract: names.contract,
    });
    expect(posted()?.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f-]{36}$/);
    await waitFor(() => {
      expect(screen.getByTestId('address')).toHaveTextContent(`conversation=${handle}`);
    });
  });

  it('lets who may only view look into a queue, and take nothing from it', async () => {
    server.on('GET', `${reception}/messages`, () => ({ body: { messages: [], total: 0 } }));
    render(<ConsolePanel />, { role: 'viewer', address: receptionChosen });
    const receive = screen.getByRole('button', { name: 'Receive' });
    expect(receive).toHaveAccessibleDescription('Your role, viewer, may not operate instances and conversations.');
    await userEvent.setup().click(screen.getByRole('button', { name: 'Look, take nothing' }));
    await waitFor(() => {
      expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET ${reception}/messages`]);
    });
  });

  it('is barred, with the reason, for who may only look', () => {
    render(<ConsolePanel />, { role: 'viewer', address: '/?at=PARIS/Ventes' });
    const button = screen.getByRole('button', { name: 'Begin dialog' });
    expect(button).toHaveAttribute('aria-disabled', 'true');
    expect(button).toHaveAccessibleDescription('Your role, viewer, may not operate instances and conversations.');
  });

  it('shows the number of what the engine refuses', async () => {
    server.on('POST', `${base}/conversations`, () => problem(422, 8425, 'The contract Nix is not found.'));
    const user = userEvent.setup();
    render(<ConsolePanel />, { address: '/?at=PARIS/Ventes' });
    await user.type(screen.getByRole('combobox', { name: /^to service/i }), 'B');
    await user.click(screen.getByRole('button', { name: 'Begin dialog' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('8425 · The contract Nix is not found.');
  });
});

describe('sending', () => {
  beforeEach(() => {
    useConversationsStore.setState({ own: { 'demo-fr-de': [own] } });
  });

  async function sendHundred() {
    const user = userEvent.setup();
    render(<ConsolePanel />);
    const count = screen.getByRole('textbox', { name: 'Count' });
    await user.clear(count);
    await user.type(count, '100');
    await user.click(screen.getByRole('button', { name: 'Send 100 messages' }));
  }

  it('sends a hundred messages in order and tells their numbers', async () => {
    acceptMessages();
    await sendHundred();
    expect(await screen.findByText('100 messages stored, sequence numbers 0 to 99.')).toBeInTheDocument();
    const bodies = server.asked.flatMap(({ body }) => (body as Send).bodies);
    expect(bodies).toHaveLength(100);
    expect(bodies[0]).toBe('<message number="1"/>');
    expect(bodies[99]).toBe('<message number="100"/>');
    expect((posted()?.body as Send).message_type).toBe(names.messageType);
  });

  it('tells how far it came when it fails on the way', async () => {
    acceptMessages(50);
    await sendHundred();
    expect(await screen.findByText('50 of 100 messages were stored before this happened:')).toBeInTheDocument();
    expect(screen.getByRole('alert')).toHaveTextContent('8429');
  });

  it('shows the state of the conversation as the engine has it now', async () => {
    render(<ConsolePanel />);
    expect(screen.getByText('Unknown')).toBeInTheDocument();
    const endpoint = {
      conversation_handle: handle,
      conversation_id: handle,
      is_initiator: true,
      service_contract_name: names.contract,
      conversation_group_id: handle,
      service_name: names.orders,
      lifetime: 0,
      state: 'SO' as const,
      state_desc: 'STARTED_OUTBOUND',
      far_service: names.reception,
      far_broker_instance: null,
      security_timestamp: 0,
      send_sequence: 1,
      end_dialog_sequence: -1,
      receive_sequence: 0,
      priority: 5,
    };
    const show = (rows: (typeof endpoint)[]) => {
      const view = instanceView('PARIS', {
        databases: [
          databaseView('Ventes', { conversation_endpoints: rows, conversation_endpoints_total: rows.length }),
        ],
      });
      act(() => {
        useLiveStore.setState({
          live: { ...emptyLive, instances: { PARIS: { view, seenAt: 0, unavailable: null, isCurrent: true } } },
        });
      });
    };
    show([endpoint]);
    expect(await screen.findByText('STARTED_OUTBOUND · SO')).toBeInTheDocument();
    expect(screen.getByText('far broker not known yet')).toBeInTheDocument();
    show([]);
    expect(await screen.findByText('Gone')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Take off the list' })).toBeInTheDocument();
  });
});

describe('a queue', () => {
  it('is received from, in order', async () => {
    const message = (number: number) => ({
      status: 1,
      priority: 5,
      queuing_order: number,
      conversation_group_id: handle,
      conversation_handle: handle,
      message_sequence_number: number,
      service_name: names.reception,
      service_contract_name: names.contract,
      message_type_name: names.messageType,
      message_enqueue_time: '2026-01-01T00:00:00Z',
      message_body: `body ${number}`,
      message_body_encoding: 'utf-8',
      message_body_bytes: number === 0 ? 6 : 200_000,
      message_body_shown_bytes: 6,
    });
    server.on('POST', `${reception}/receive`, () => ({ body: { messages: [message(0), message(1)] } }));
    const user = userEvent.setup();
    render(<ConsolePanel />, { address: receptionChosen, role: 'admin' });
    await user.click(screen.getByRole('button', { name: 'Receive' }));
    await waitFor(() => {
      expect(screen.getByText('2 messages received from dbo.Réception')).toBeInTheDocument();
    });
    expect(posted()?.body).toEqual({ top: 10, wait_seconds: 0 });
    expect(screen.getAllByText(/^body/).map((element) => element.textContent)).toEqual(['body 0', 'body 1']);
    expect(screen.getAllByText(/^The first/).map((element) => element.textContent)).toEqual([
      'The first 6 bytes of 200,000; the rest of the body is not shown.',
    ]);
  });

  it('is waited for, with the time that is left, until nothing came', async () => {
    let answer: (given: Answer) => void = () => undefined;
    server.on('POST', `${reception}/receive`, () => new Promise((resolve) => (answer = resolve)));
    const user = userEvent.setup();
    render(<ConsolePanel />, { address: receptionChosen });
    await user.click(screen.getByRole('button', { name: 'Wait for a message' }));
    expect(await screen.findByRole('timer')).toHaveTextContent(/^(29|30) seconds left$/);
    expect(posted()?.body).toEqual({ top: 10, wait_seconds: 30 });
    answer({ body: { messages: [] } });
    expect(await screen.findByText('No message came to dbo.Réception in 30 seconds')).toBeInTheDocument();
    expect(screen.queryByRole('timer')).not.toBeInTheDocument();
  });

  it('is waited for until one stops', async () => {
    server.on('POST', `${reception}/receive`, () => new Promise(() => undefined));
    const user = userEvent.setup();
    render(<ConsolePanel />, { address: receptionChosen });
    await user.click(screen.getByRole('button', { name: 'Wait for a message' }));
    await user.click(await screen.findByRole('button', { name: 'Stop waiting' }));
    expect(await screen.findByText('No longer waiting for dbo.Réception')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Wait for a message' })).toBeInTheDocument();
  });
});

describe('bodies', () => {
  it('count from one and go in batches of at most fifty', () => {
    expect(expandBodies('{n} of {n}', 2)).toEqual(['1 of 1', '2 of 2']);
    expect(batchesOf(expandBodies('x', 101)).map((batch) => batch.length)).toEqual([50, 50, 1]);
  });
});
