import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';

import type { TransmissionExplained } from '@/contracts/api';
import { useLiveStore } from '@/lib/live-store';
import { emptyLive } from '@/live/compose';
import type { GridRow, Read } from '@/live/grid/rows';
import { demoEstate } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import { ConnectionActions } from './components/connection-actions';
import { ConversationActions, ConversationsSelection } from './components/conversation-actions';
import { MirrorActions } from './components/mirror-actions';
import { QueueActions } from './components/queue-actions';
import { RetryGroupButton } from './components/retry-button';
import { TransmissionActions } from './components/transmission-actions';

const server = testServer();
const estate = demoEstate();
const base = `/api/v1/estates/${estate.name}`;
const handle = '11111111-2222-4333-8444-555555555555';
const conversation = `${base}/instances/PARIS/databases/Ventes/conversations/${handle}`;

/** A row with these cells, and how they are read. */
function rowOf(
  cells: Record<string, string | number | boolean | null>,
  instance = 'PARIS',
): { row: GridRow; read: Read } {
  const names = Object.keys(cells);
  const row = { key: JSON.stringify(cells), instance, cells: Object.values(cells) };
  return { row, read: (one, id) => one.cells[names.indexOf(id)] };
}

const message = rowOf({
  database_name: 'Ventes',
  conversation_handle: handle,
  message_sequence_number: 3,
  from_service_name: '//from',
  to_service_name: '//to',
  to_broker_instance: null,
  transmission_status_number: 9796,
  awaits_queue: null,
});

function explained(told: Partial<TransmissionExplained>): TransmissionExplained {
  const delayed = {
    classification: 'delayed',
    table: 'Ventes',
    route: null,
    address: null,
    database: null,
    status: 9796,
    proof: ['No route matches.'],
  } as const;
  return {
    at: '2026-11-23T20:00:00Z',
    conversation_handle: handle,
    state: 'CO',
    from_service: '//from',
    to_service: '//to',
    waiting: 1,
    oldest: '2026-11-23T19:59:00Z',
    number: 9796,
    text: '9796: no route',
    then: { ...delayed, proof: [...delayed.proof] },
    waits_since: '2026-11-23T19:59:00Z',
    now: { ...delayed, proof: [...delayed.proof] },
    is_same: true,
    retry: {
      end: 'waits',
      number: 9796,
      text: '9796: no route',
      address: null,
      database: null,
      connects_at: null,
      retries_at: null,
    },
    ...told,
  };
}

function topologyIs(state: string) {
  act(() => {
    useLiveStore.setState({
      live: {
        ...emptyLive,
        estate: estate.name,
        progress: { revision: 1, state, instances: [], behind: [], change_sets: [] },
      },
    });
  });
}

const button = (name: string | RegExp) => screen.getByRole('button', { name });

beforeEach(() => {
  useLiveStore.setState({ live: emptyLive });
  server.on('GET', `${conversation}/forecast`, () => ({
    body: { leg: 'message', what_if: null, stopped: [], findings: [], broken_by: null },
  }));
});

describe('a message that waits', () => {
  it('leads to the what-if of its flow', () => {
    render(<TransmissionActions {...message} />);
    expect(screen.getByRole('link', { name: 'Open in what-if' })).toHaveAttribute(
      'href',
      `/estates/${estate.name}/whatif?from=PARIS%2FVentes%2F%252F%252Ffrom&to=%2F%2Fto`,
    );
  });
});

describe('Explain', () => {
  it('shows then and now, and asks again when the topology has moved', async () => {
    let now = explained({});
    server.on('GET', `${conversation}/transmission`, () => ({ body: now }));
    topologyIs('1');
    render(<TransmissionActions {...message} />);
    await userEvent.click(button('Explain'));
    const there = await screen.findByRole('region', { name: 'Now, if it was tried again' });
    expect(within(there).getByText('Would still wait')).toBeInTheDocument();
    expect(screen.getByRole('region', { name: 'Then, when it was sent' })).toHaveTextContent('9796: no route');

    const local = {
      classification: 'local',
      table: 'Ventes',
      route: 'enfin',
      address: null,
      database: 'Stock',
      status: null,
      proof: [],
    } as const;
    now = explained({
      is_same: false,
      now: { ...local, proof: [] },
      retry: {
        end: 'delivered',
        number: null,
        text: '',
        address: null,
        database: 'Stock',
        connects_at: null,
        retries_at: null,
      },
    });
    topologyIs('2');
    expect(await screen.findByText('Would be delivered')).toBeInTheDocument();
    expect(screen.getByText('Route enfin of Ventes, into Stock.')).toBeInTheDocument();
    expect(screen.getByText('Waits')).toBeInTheDocument();
  });

  it('names the reason of what was sent and waits, and calls only the way the same', async () => {
    const way = { classification: 'remote', table: 'Ventes', route: 'out', address: 'TCP://lyon:4022' } as const;
    const sent = { ...way, database: null, status: null, proof: [] };
    const retry = { ...explained({}).retry, number: 9666, text: '9666: stopped' };
    const told = explained({ then: sent, now: sent, number: 9666, text: '9666: stopped', retry });
    server.on('GET', `${conversation}/transmission`, () => ({ body: told }));
    render(<TransmissionActions {...message} />);
    await userEvent.click(button('Explain'));
    const then = await screen.findByRole('region', { name: 'Then, when it was sent' });
    expect(then).toHaveTextContent('It has waited since 23 Nov 2026, 19:59:00 UTC: 9666: stopped');
    expect(screen.getByText('The way is the same as then, and a retry would change nothing.')).toBeInTheDocument();
  });

  it.each([
    [0, 'No message of this conversation waits any more.'],
    [1, 'It was not tried yet.'],
  ])('tells what has left from what was not tried yet: %i', async (waiting, words) => {
    const told = explained({ waiting, then: null, waits_since: null });
    server.on('GET', `${conversation}/transmission`, () => ({ body: told }));
    render(<TransmissionActions {...message} />);
    await userEvent.click(button('Explain'));
    expect(await screen.findByRole('region', { name: 'Then, when it was sent' })).toHaveTextContent(words);
  });

  it('forecasts nothing for a conversation on which nothing more is sent', async () => {
    const retry = { ...explained({}).retry, end: 'frozen', number: 9784, text: '9784: an error has arrived' } as const;
    server.on('GET', `${conversation}/transmission`, () => ({ body: explained({ waiting: 1, retry }) }));
    render(<TransmissionActions {...message} />);
    await userEvent.click(button('Explain'));
    expect(await screen.findByText('9784: an error has arrived')).toBeInTheDocument();
    expect(server.asked.filter(({ path }) => path.endsWith('/forecast'))).toEqual([]);
    expect(screen.queryByRole('region', { name: 'What becomes of it' })).toBeNull();
  });

  it('says the number when the conversation is gone', async () => {
    server.on('GET', `${conversation}/transmission`, () => ({
      status: 404,
      body: { code: 8426, detail: 'There is no such conversation' },
    }));
    render(<TransmissionActions {...message} />);
    await userEvent.click(button('Explain'));
    expect(await screen.findByRole('alert')).toHaveTextContent('8426 · There is no such conversation');
  });
});

describe('Retry', () => {
  it('says what it does, and then what came of it', async () => {
    const result = {
      instance: 'PARIS',
      database: 'Ventes',
      conversation_handle: handle,
      before: 9796,
      waiting: 1,
      number: null,
      text: '',
      problem: null,
    };
    server.on('POST', `${base}/transmissions/retry`, () => ({ body: { results: [result] } }));
    render(<TransmissionActions {...message} />);
    await userEvent.click(button('Retry now…'));
    expect(server.asked).toEqual([]);
    await userEvent.click(button('Retry'));
    expect(await screen.findByText('On their way: 1. Still waiting: 0.')).toBeInTheDocument();
    expect(screen.getByRole('list', { name: 'Results' })).toHaveTextContent(
      'On its way: 1 message waits for its acknowledgement.',
    );
    expect(server.asked[0]?.body).toEqual({
      conversations: [{ instance: 'PARIS', database: 'Ventes', conversation_handle: handle }],
    });
  });

  it('retries a group as far as the view is narrowed, and says what is left', async () => {
    const reason = { number: 9796, messages: 5, conversations: 3, oldest: 0, text: '9796: no route', places: [] };
    server.on('POST', `${base}/transmissions/retry-group`, () => ({
      body: { results: [], left: 2, silent: ['LYON'] },
    }));
    render(<RetryGroupButton reason={reason} />, { address: '/?instance=PARIS&database=Ventes' });
    await userEvent.click(button('Retry what waits for 9796'));
    await userEvent.click(button('Retry'));
    expect(await screen.findByText(/2 more conversations wait for this reason and were not tried/)).toBeInTheDocument();
    expect(screen.getByText('Not tried, for they do not answer: LYON.')).toBeInTheDocument();
    expect(server.asked[0]?.body).toEqual({ number: 9796, instance: 'PARIS', database: 'Ventes' });
  });

  it('does not promise to move what waits for a queue that is off', () => {
    const arrived = rowOf({
      database_name: 'Ventes',
      conversation_handle: handle,
      message_sequence_number: 0,
      to_service_name: '//to',
      transmission_status_number: 9617,
      awaits_queue: 'dbo.File',
    });
    render(<TransmissionActions {...arrived} />);
    expect(button('Retry now…')).toHaveAccessibleDescription(/waits for its queue, which is off/);
    expect(screen.queryByRole('button', { name: 'Explain' })).toBeNull();
  });
});

describe('End conversation', () => {
  const side = rowOf({ database_name: 'Ventes', conversation_handle: handle });

  it('takes the clause typed before it forgets a conversation', async () => {
    const ended = {
      instance: 'PARIS',
      database: 'Ventes',
      conversation_handle: handle,
      before: 'CO',
      state: null,
      problem: null,
    };
    server.on('POST', `${base}/conversations/end`, () => ({ body: { results: [ended] } }));
    render(<ConversationActions {...side} />);
    await userEvent.click(button('End conversation…'));
    await userEvent.click(screen.getByRole('checkbox', { name: /With cleanup/ }));
    expect(button('End')).toBeDisabled();
    await userEvent.type(screen.getByRole('textbox', { name: 'Type WITH CLEANUP to confirm' }), 'WITH CLEANUP');
    await userEvent.click(button('End'));
    expect(await screen.findByText('1 of 1 conversation was ended.')).toBeInTheDocument();
    expect(screen.getByText(/The endpoint is gone/)).toBeInTheDocument();
    expect(server.asked[0]?.body).toMatchObject({ with_cleanup: true });
  });

  it('tells of each of several, those that were refused first', async () => {
    const other = '99999999-2222-4333-8444-555555555555';
    const place = { instance: 'PARIS', database: 'Ventes' };
    const refused = {
      type: '',
      title: '',
      status: 404,
      code: 8426,
      detail: 'There is no such conversation',
      why: '',
      cure: '',
      pointer: null,
      parameters: {},
    };
    server.on('POST', `${base}/conversations/end`, () => ({
      body: {
        results: [
          { ...place, conversation_handle: handle, before: 'CO', state: 'DO', problem: null },
          { ...place, conversation_handle: other, before: null, state: null, problem: refused },
        ],
      },
    }));
    const rows = [side.row, rowOf({ database_name: 'Ventes', conversation_handle: other }).row];
    render(<ConversationsSelection rows={rows} read={side.read} />);
    await userEvent.click(button('End 2 conversations…'));
    await userEvent.click(button('End'));
    expect(await screen.findByText('1 of 2 conversations were ended.')).toBeInTheDocument();
    const lines = screen.getAllByRole('listitem').map((line) => line.textContent);
    expect(lines[0]).toContain('8426 · There is no such conversation');
    expect(lines[1]).toContain('Now DISCONNECTED_OUTBOUND.');
  });

  it.each([
    ['viewer', '/', /may not operate instances and conversations/],
    ['operator', '/?draft=4', /Leave draft #4 first/],
  ] as const)('is there for a %s at %s, and says why it cannot be pressed', async (role, address, why) => {
    render(<ConversationActions {...side} />, { role, address });
    expect(button('End conversation…')).toHaveAccessibleDescription(why);
    await userEvent.click(button('End conversation…'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

describe('queues, endpoints and mirrors', () => {
  const queue = {
    database_name: 'Ventes',
    queue_name: 'dbo.File',
    is_receive_enabled: false,
    is_activation_enabled: true,
    activation_procedure: 'dbo.Lire',
    awaiting: 2,
  };
  const path = `${base}/instances/PARIS/databases/Ventes/queues/dbo.File`;

  it('switches a queue on once that is confirmed, and its activation off', async () => {
    server.on('POST', `${path}/status`, () => ({ body: { is_enabled: true } }));
    server.on('POST', `${path}/activation`, () => ({ body: { revision: 8 } }));
    render(<QueueActions {...rowOf(queue)} />);
    await userEvent.click(button('Enable queue…'));
    expect(screen.getByRole('dialog')).toHaveTextContent('2 messages that came meanwhile go into it.');
    await userEvent.click(button('Enable'));
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).toBeNull();
    });
    await userEvent.click(button('Activation off…'));
    await userEvent.click(button('Switch off'));
    expect(await screen.findByText('Activation of dbo.File of Ventes is off: revision 8.')).toBeInTheDocument();
    expect(server.asked.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
      { is_enabled: true },
      { is_enabled: false },
    ]);
  });

  it('has no activation to switch where no procedure is named', () => {
    render(<QueueActions {...rowOf({ ...queue, activation_procedure: null, is_activation_enabled: false })} />);
    expect(button('Activation on…')).toHaveAccessibleDescription(
      'dbo.File names no procedure: there is nothing to switch.',
    );
  });

  it('stops the endpoint of either end, and a refusal stays to be read', async () => {
    server.on('POST', `${base}/instances/LYON/endpoint`, () => ({
      status: 409,
      body: { code: 'change-under-way', detail: 'Not now' },
    }));
    render(<ConnectionActions {...rowOf({ peer_instance: 'LYON' })} />);
    expect(button('Stop PARIS…')).toBeInTheDocument();
    await userEvent.click(button('Stop LYON…'));
    await userEvent.click(button('Stop'));
    expect(await screen.findByRole('alert')).toHaveTextContent('Not now');
    expect(server.asked[0]?.body).toEqual({ state: 'STOPPED' });
  });

  it('says why a pair cannot be failed over', () => {
    const [mirror] = estate.mirrors;
    render(<MirrorActions {...rowOf({ broker_instance: mirror?.broker_instance.toUpperCase() ?? '' })} />);
    expect(button('Fail over…')).toHaveAccessibleDescription(
      'BERLIN has not answered: a failover needs both partners.',
    );
  });

  it('has none to fail over where the estate lacks a half', () => {
    render(<MirrorActions {...rowOf({ broker_instance: '00000000-0000-4000-8000-000000000000' })} />);
    expect(screen.getByText(/does not have both halves/)).toBeInTheDocument();
  });
});
