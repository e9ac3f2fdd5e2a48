import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import type { QueueRow } from '@/live/instance-view';
import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import { QueueNotice } from './queue-notice';

const server = testServer();
const path = { instance: 'PARIS', database: 'Ventes' };
const off: QueueRow = { name: 'dbo.Commandes', is_enabled: false, ready: 1, disabled: 0, awaiting: 2, poison: null };
const poison = {
  at: 0,
  rollbacks: 5,
  conversation_handle: '81b1aaaa-0000-4000-8000-00000000004f',
  message_type_name: 'DEFAULT',
  message_sequence_number: 3,
};

function show(queue: QueueRow, { isWanted = true, role }: { isWanted?: boolean; role?: 'operator' | 'viewer' } = {}) {
  render(<QueueNotice estate="demo-fr-de" path={path} queue={queue} isWanted={isWanted} />, {
    role: role ?? 'operator',
  });
}

describe('a queue that is off', () => {
  it('says nothing while it is on', () => {
    show({ ...off, is_enabled: true });
    expect(screen.queryByRole('group')).toBeNull();
  });

  it('names the conversation, the message and the rollbacks that switched it off', () => {
    show({ ...off, poison });
    expect(screen.getByRole('group')).toHaveTextContent(/^dbo.Commandes was switched off by a poison message/);
    expect(screen.getByRole('button', { name: 'poison message' })).toBeInTheDocument();
    expect(screen.getByText(/5 transactions in a row .* had message 3 of type/)).toBeInTheDocument();
    expect(
      screen.getByRole('button', { name: `Copy conversation handle ${poison.conversation_handle}` }),
    ).toBeInTheDocument();
    expect(screen.getByText(/2 messages that came meanwhile wait/)).toBeInTheDocument();
  });

  it('tells a switch by hand from a definition', () => {
    show(off, { isWanted: false });
    expect(screen.getByText('The topology has it off.')).toBeInTheDocument();
  });

  it('is switched on by the button, and by nobody who may not', async () => {
    const place = '/api/v1/estates/demo-fr-de/instances/PARIS/databases/Ventes/queues/dbo.Commandes/status';
    server.on('POST', place, () => ({ body: { is_enabled: true } }));
    show({ ...off, poison });
    await userEvent.click(screen.getByRole('button', { name: 'Switch queue dbo.Commandes on' }));
    expect(await screen.findByText('dbo.Commandes of Ventes is on.')).toBeInTheDocument();
    expect(server.asked.map(({ body }) => body)).toEqual([{ is_enabled: true }]);
  });

  it('says to a viewer why not', () => {
    show(off, { role: 'viewer' });
    expect(screen.getByRole('button', { name: 'Switch queue dbo.Commandes on' })).toHaveAttribute(
      'aria-disabled',
      'true',
    );
  });
});
