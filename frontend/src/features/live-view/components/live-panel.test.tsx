import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { InstanceView, TransmissionQueueRow } from '@/live/instance-view';
import { useLiveStore } from '@/lib/live-store';
import { emptyLive } from '@/live/compose';
import { databaseView, instanceView, names } from '@/testing/demo-estate';
import { render } from '@/testing/render';

import { LivePanel } from './live-panel';

const ready = { phase: 'ready', failures: 0 } as const;

function row(number: number, more: Partial<TransmissionQueueRow> = {}): TransmissionQueueRow {
  return {
    conversation_handle: 'h',
    to_service_name: names.reception,
    to_broker_instance: null,
    from_service_name: names.orders,
    service_contract_name: names.contract,
    enqueue_time: Date.now() / 1000 - 192,
    message_sequence_number: number,
    message_type_name: names.messageType,
    is_conversation_error: false,
    is_end_of_dialog: false,
    message_body_bytes: 21,
    transmission_status: '',
    transmission_status_number: null,
    priority: 5,
    ...more,
  };
}

function show(rows: TransmissionQueueRow[], more: Partial<InstanceView> = {}) {
  const databases = [databaseView('Ventes', { transmission_queue: rows, transmission_queue_total: rows.length })];
  const one = { seenAt: Date.now(), unavailable: null, isCurrent: true };
  const live = {
    ...emptyLive,
    estate: 'demo-fr-de',
    instances: Object.fromEntries(
      ['PARIS', 'LYON', 'BERLIN', 'HUB'].map((name) => [
        name,
        { ...one, view: instanceView(name, name === 'PARIS' ? { databases, ...more } : {}) },
      ]),
    ),
  };
  act(() => {
    useLiveStore.setState({ connection: ready, live });
  });
}

beforeEach(() => {
  // Only the date stands still; timers run, because user-event waits for them.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
  useLiveStore.setState({ connection: ready, live: emptyLive });
});

afterEach(() => {
  vi.useRealTimers();
});

const rowsShown = () => screen.getAllByRole('row').length - 1;

describe('the live panel', () => {
  it('says why an instance does not answer, and claims nothing of it', () => {
    render(<LivePanel />);
    show([]);
    act(() => {
      const { live } = useLiveStore.getState();
      const paris = { view: null, seenAt: null, unavailable: 'its log is not there', isCurrent: true };
      useLiveStore.setState({ live: { ...live, instances: { ...live.instances, PARIS: paris } } });
    });
    expect(screen.getByText('PARIS does not answer: its log is not there')).toBeInTheDocument();
    expect(screen.getByText(/Of PARIS nothing is known/)).toBeInTheDocument();
    expect(screen.queryByText(/Nothing waits to be transmitted/)).not.toBeInTheDocument();
  });

  it('tells not known, nothing there and nothing found apart', async () => {
    render(<LivePanel />);
    expect(screen.getByText('Not known: no instance has answered yet.')).toBeInTheDocument();
    show([]);
    expect(screen.getByText(/^Nothing waits to be transmitted/)).toBeInTheDocument();
    show([row(0)]);
    await userEvent.type(screen.getByRole('textbox', { name: 'Filter rows' }), 'zzz');
    expect(screen.getByText('No row matches the filter.')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Clear filter' }));
    expect(rowsShown()).toBe(1);
  });

  it('shows a waiting message under the vendor’s column names, with its age and the number that holds it', () => {
    render(<LivePanel />);
    show([row(7, { transmission_status: '9754: connection refused', transmission_status_number: 9754 })]);
    expect(screen.getAllByRole('columnheader').map((header) => header.textContent)).toEqual(
      expect.arrayContaining(['to_service_name', 'transmission_status', 'message_type_name']),
    );
    expect(screen.getByText('3 m 12 s')).toBeInTheDocument();
    expect(screen.getByText('9754')).toBeInTheDocument();
    expect(screen.getByText('connection refused')).toBeInTheDocument();
  });

  it('holds still while paused, counts what came, and catches up when resumed', async () => {
    render(<LivePanel />);
    show([row(0)]);
    await userEvent.click(screen.getByRole('button', { name: 'Pause' }));
    show([row(0), row(1), row(2)]);
    expect(rowsShown()).toBe(1);
    await userEvent.click(screen.getByRole('button', { name: 'Resume · 2 new' }));
    expect(rowsShown()).toBe(3);
  });

  it('keeps only a windowful of many rows in the page', () => {
    render(<LivePanel />);
    show(Array.from({ length: 5000 }, (_, index) => row(index)));
    expect(screen.getByRole('table')).toHaveAttribute('aria-rowcount', '5001');
    expect(rowsShown()).toBeLessThan(80);
  });

  it('shows old rows as old when the connection is lost', () => {
    render(<LivePanel />);
    show([row(0)]);
    act(() => {
      useLiveStore.setState({ connection: { phase: 'waiting', failures: 1, retryMilliseconds: 500 } });
    });
    expect(screen.getByRole('table')).toHaveAttribute('data-stale', 'true');
    expect(screen.getAllByText(/^as of \d+ s ago$/)).toHaveLength(4);
    expect(rowsShown()).toBe(1);
  });

  it('shows the rows of one instance when asked for one', () => {
    render(<LivePanel />, { address: '/?only=LYON' });
    show([row(0)]);
    expect(screen.getByText('No row matches the filter.')).toBeInTheDocument();
  });
});
