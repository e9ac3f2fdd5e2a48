import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useLiveStore } from '@/lib/live-store';
import { keyOf, newTopic, type TopicState } from '@/live/streams';
import { demoEstate } from '@/testing/demo-estate';
import { render } from '@/testing/render';

import TransmissionsView from '../views/transmissions/transmissions';

const estate = demoEstate();
const now = Date.UTC(2026, 10, 23, 20, 0, 0) / 1000;
const names = [
  'instance_name',
  'database_name',
  'conversation_handle',
  'to_service_name',
  'from_service_name',
  'enqueue_time',
  'message_sequence_number',
  'transmission_status',
  'transmission_status_number',
];
const types: Record<string, string> = {
  enqueue_time: 'datetime',
  message_sequence_number: 'bigint',
  transmission_status_number: 'int',
  conversation_handle: 'uniqueidentifier',
};
const columns = names.map((name) => ({
  name,
  type: types[name] ?? 'nvarchar(256)',
  nullable: true,
  is_vendors: !name.startsWith('instance') && !name.startsWith('database'),
}));

type Message = { instance?: string; number: number; age: number };

const wanted = { estate: estate.name, topic: 'transmissions', params: {} } as const;

function tell(messages: Message[], facts: TopicState['table']['facts'] = {}, more: Partial<TopicState> = {}) {
  const keys = messages.map(({ instance = 'PARIS', number }) => `${instance} ${number} handle Ventes`);
  const rows = messages.map(({ instance = 'PARIS', number, age }) => [
    instance,
    'Ventes',
    '11111111-2222-4333-8444-555555555555',
    '//to',
    '//from',
    now - age,
    number,
    '9754: refused',
    9754,
  ]);
  const known = Object.fromEntries(
    estate.instances.map(({ name }) => [
      name,
      { total: messages.filter(({ instance = 'PARIS' }) => instance === name).length, has_more: false, groups: [] },
    ]),
  );
  const topic: TopicState = {
    ...newTopic(wanted, 1),
    stream: 's',
    seq: 5,
    isCurrent: true,
    awaitsSnapshot: false,
    seenAt: now * 1000,
    table: { columns, keys, rows, facts: { ...known, ...facts } },
    ...more,
  };
  act(() => {
    useLiveStore.setState((store) => ({ topics: { ...store.topics, [keyOf(wanted)]: topic } }));
  });
}

/** Numbers of the messages that are shown, in their order. */
const shown = () =>
  [...document.querySelectorAll('td[data-column="message_sequence_number"]')].map((cell) => cell.textContent).join(' ');

function scrollTo(top: number) {
  // What scrolls is the frame of the grid.
  const scroller = screen.getByRole('grid').parentElement;
  if (scroller !== null) {
    scroller.scrollTop = top;
    fireEvent.scroll(scroller);
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 });
  useLiveStore.setState({ connection: { phase: 'ready', failures: 0 }, topics: {} });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a live table', () => {
  it('lets rows flow to who does not read, and keeps the place of who does', async () => {
    render(<TransmissionsView />);
    tell([
      { number: 5, age: 50 },
      { number: 6, age: 40 },
    ]);
    tell([
      { number: 4, age: 60 },
      { number: 5, age: 50 },
      { number: 6, age: 40 },
    ]);
    expect(shown()).toBe('4 5 6');
    scrollTo(20);
    tell([
      { number: 3, age: 70 },
      { number: 5, age: 50 },
      { number: 6, age: 40 },
      { number: 7, age: 1 },
    ]);
    expect(shown()).toBe('4 5 6 7');
    expect(screen.getByText('left')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Show 1 new' }));
    expect(shown()).toBe('3 5 6 7');
  });

  it('names no zone above an age', async () => {
    render(<TransmissionsView />);
    tell([{ number: 5, age: 50 }]);
    expect(await screen.findByRole('columnheader', { name: 'Waiting for enqueue_time' })).toBeInTheDocument();
  });

  it('going back to the top is the end of reading', () => {
    render(<TransmissionsView />);
    tell([{ number: 5, age: 50 }]);
    scrollTo(20);
    tell([
      { number: 4, age: 60 },
      { number: 5, age: 50 },
    ]);
    expect(shown()).toBe('5');
    scrollTo(0);
    expect(shown()).toBe('4 5');
    expect(screen.queryByRole('button', { name: /Show/ })).not.toBeInTheDocument();
  });

  it('a pause holds rows still while the sum goes on, and is told to the page', async () => {
    render(<TransmissionsView />);
    tell([{ number: 5, age: 50 }]);
    await userEvent.click(screen.getByRole('button', { name: 'Pause' }));
    expect(useLiveStore.getState().isPaused).toBe(true);
    tell([
      { number: 6, age: 40 },
      { number: 7, age: 30 },
    ]);
    expect(shown()).toBe('5');
    expect(screen.getByText(/Showing 1 of 2 · held still at 23 Nov 2026, 20:00:00 UTC/)).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Resume · 2 new' }));
    expect(shown()).toBe('6 7');
    expect(useLiveStore.getState().isPaused).toBe(false);
  });

  it('rows of an instance that does not answer are old and say how old; an instance never heard of is unknown', () => {
    render(<TransmissionsView />);
    tell(
      [
        { instance: 'LYON', number: 1, age: 200 },
        { instance: 'PARIS', number: 2, age: 100 },
      ],
      {
        LYON: { total: 1, unavailable: { reason: 'its log is not there', since: now - 130 } },
        HUB: { unavailable: { reason: 'nobody runs it', since: null } },
      },
    );
    const [lyon, paris] = screen.getAllByRole('row').filter((row) => row.dataset.index !== undefined);
    expect(lyon).toHaveAttribute('data-old', 'true');
    expect(lyon).toHaveTextContent('2 m 10 s');
    expect(paris).toHaveAttribute('data-old', 'false');
    const strip = screen.getByRole('list', { name: 'Instances that do not answer' });
    expect(within(strip).getByText(/LYON: Not connected/)).toBeInTheDocument();
    expect(within(strip).getByText(/HUB: Unknown/)).toBeInTheDocument();
    expect(screen.getByText('Showing 2 of 2 · without HUB, of which nothing is known')).toBeInTheDocument();
  });

  it('a table that may not be seen says so, and never that there is nothing', () => {
    render(<TransmissionsView />);
    tell(
      [],
      {},
      { seq: 0, isCurrent: false, denied: { code: 4403, reason: 'forbidden', detail: 'Role viewer may not.' } },
    );
    expect(screen.getAllByText(/Role viewer may not\./).length).toBeGreaterThan(0);
    expect(screen.queryByText(/Nothing waits/)).not.toBeInTheDocument();
  });

  it('nothing known, nothing found and nothing there are three sentences', async () => {
    render(<TransmissionsView />);
    expect(screen.getByText('Not known: no instance has answered yet.')).toBeInTheDocument();
    tell([]);
    expect(screen.getByText(/Nothing waits to be transmitted/)).toBeInTheDocument();
    await userEvent.type(screen.getByRole('textbox', { name: 'Filter rows' }), 'nowhere');
    expect(await screen.findByText('No row matches the filter.')).toBeInTheDocument();
  });

  it('is walked through, opened and left by keys; the row that is open stands in the address', async () => {
    render(<TransmissionsView />);
    tell([
      { number: 5, age: 50 },
      { number: 6, age: 40 },
    ]);
    screen.getByRole('grid').focus();
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}');
    expect(screen.getByTestId('address')).toHaveTextContent('row=PARIS+6+handle+Ventes');
    expect(screen.getByRole('complementary', { name: 'Row' })).toHaveTextContent('transmission_status9754: refused');
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByRole('complementary')).not.toBeInTheDocument();
    expect(screen.getByTestId('address')).not.toHaveTextContent('row=');
  });

  it('copies what is selected, or else all that is shown, under the names of the vendor', async () => {
    const user = userEvent.setup();
    render(<TransmissionsView />);
    tell([
      { number: 5, age: 50 },
      { number: 6, age: 40 },
    ]);
    let text = '';
    // jsdom has no copying; the page's own way of it is deprecated, and the only one without TLS.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    document.execCommand = () => {
      const event = new Event('copy') as Event & { clipboardData: unknown };
      event.clipboardData = {
        setData: (type: string, value: string) => {
          text = type === 'text/plain' ? value : text;
        },
      };
      return document.dispatchEvent(event) || true;
    };
    await user.click(screen.getByRole('button', { name: 'Copy' }));
    const lines = text.split('\r\n');
    expect(lines[0]?.split('\t')).toContain('message_sequence_number');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain('2026-11-23 19:59:10.000');
    screen.getByRole('grid').focus();
    await user.keyboard('{ArrowDown} ');
    await user.click(screen.getByRole('button', { name: 'Copy 1 row' }));
    expect(text.split('\r\n')).toHaveLength(2);
  });

  it('shows the columns that the address names, and no others', () => {
    render(<TransmissionsView />, { address: '/?columns=message_sequence_number~conversation_handle' });
    tell([{ number: 5, age: 50 }]);
    expect(
      screen
        .getAllByRole('columnheader')
        .map((head) => head.textContent)
        .slice(1),
    ).toEqual(['Sequence numbermessage_sequence_number', 'Conversation handleconversation_handle']);
  });

  it('sorts what is shown by the column that the address names', () => {
    render(<TransmissionsView />, { address: '/?sort=-message_sequence_number' });
    tell([
      { number: 5, age: 50 },
      { number: 10, age: 40 },
      { number: 6, age: 30 },
    ]);
    expect(shown()).toBe('10 6 5');
  });
});
