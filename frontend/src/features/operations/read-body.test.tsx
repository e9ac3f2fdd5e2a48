import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useEffect, useState } from 'react';
import { describe, expect, it } from 'vitest';

import { PersonContext, SessionOverContext, usePerson } from '@/hooks/use-rights';
import type { GridRow, Read } from '@/live/grid/rows';
import { demoEstate } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import { TransmissionActions } from './components/transmission-actions';
import { hexLines } from './hex-lines';

const server = testServer();
const handle = '11111111-2222-4333-8444-555555555555';
const conversation = `/api/v1/estates/${demoEstate().name}/instances/PARIS/databases/Ventes/conversations/${handle}`;
const names = [
  'database_name',
  'conversation_handle',
  'message_sequence_number',
  'to_service_name',
  'transmission_status_number',
  'awaits_queue',
];
const message: { row: GridRow; read: Read } = {
  row: { key: 'a', instance: 'PARIS', cells: ['Ventes', handle, 3, '//to', 9796, null] },
  read: (one, id) => one.cells[names.indexOf(id)],
};

const button = (name: string) => screen.getByRole('button', { name });

const read = {
  has_body: true,
  whole_bytes: 4,
  shown_bytes: 4,
  limit_bytes: 65_536,
  text: 'Été',
  encoding: 'utf-8',
  hexadecimal: 'c38974c3a9',
};

/** A message whose reader may lose the right, or the session, and get it back. */
function Withdrawn({ what, onReady }: { what: string; onReady: (set: (isThere: boolean) => void) => void }) {
  const person = usePerson();
  const [isThere, set] = useState(true);
  useEffect(() => {
    onReady(set);
  }, [onReady]);
  const rights = person.rights.filter((right) => right !== 'read-payloads');
  return (
    <PersonContext value={what === 'right' && !isThere ? { ...person, rights } : person}>
      <SessionOverContext value={what === 'session' && !isThere}>
        <TransmissionActions {...message} />
      </SessionOverContext>
    </PersonContext>
  );
}

describe('Read body', () => {
  it('shows text and bytes, and how much of it there is', async () => {
    server.on('POST', `${conversation}/transmission/body`, () => ({
      body: {
        has_body: true,
        whole_bytes: 70_000,
        shown_bytes: 65_536,
        limit_bytes: 65_536,
        text: 'Été',
        encoding: 'utf-8',
        hexadecimal: 'c38974c3a9',
      },
    }));
    render(<TransmissionActions {...message} />, { role: 'admin' });
    await userEvent.click(button('Read body'));
    expect(await screen.findByText('Été')).toBeInTheDocument();
    expect(screen.getByText('The first 65,536 of 70,000 bytes: more than 65,536 are never shown.')).toBeInTheDocument();
    await userEvent.click(screen.getByText('Hexadecimal'));
    expect(screen.getByText(/00000000 c3 89 74 c3 a9 \.\.t\.\./)).toBeInTheDocument();
    expect(server.asked[0]?.body).toEqual({ message_sequence_number: 3, to_service_name: '//to' });
  });

  it('is barred to who may not read payloads, which no role includes', () => {
    render(<TransmissionActions {...message} />, { role: 'operator' });
    expect(button('Read body')).toHaveAccessibleDescription(/which you have not been given\. No role includes it/);
  });

  it.each([
    ['right', /have not been given/],
    ['session', /Your session has ended/],
  ])('takes a body that was read away with the %s, and does not give it back by itself', async (what, why) => {
    server.on('POST', `${conversation}/transmission/body`, () => ({ body: read }));
    let change: (isThere: boolean) => void = () => undefined;
    render(<Withdrawn what={what} onReady={(set) => (change = set)} />, { role: 'admin' });
    await userEvent.click(button('Read body'));
    expect(await screen.findByText('Été')).toBeInTheDocument();
    act(() => {
      change(false);
    });
    expect(screen.queryByText('Été')).toBeNull();
    expect(screen.getByText(why, { selector: 'p' })).toBeInTheDocument();
    act(() => {
      change(true);
    });
    expect(screen.queryByText('Été')).toBeNull();
    expect(screen.queryByText(why, { selector: 'p' })).toBeNull();
  });

  it('does not say that a body was read which was not', async () => {
    server.on('POST', `${conversation}/transmission/body`, () => ({
      status: 404,
      body: { code: 'not-found', detail: 'It does not wait any more' },
    }));
    render(<TransmissionActions {...message} />, { role: 'admin' });
    await userEvent.click(button('Read body'));
    expect(await screen.findByRole('alert')).toHaveTextContent('It does not wait any more');
    expect(screen.queryByText('The audit notes that you have read it.')).toBeNull();
  });

  it('breaks bytes into lines with their place', () => {
    expect(hexLines('41424344454647484a0a').split('\n')).toEqual([
      '00000000  41 42 43 44 45 46 47 48  ABCDEFGH',
      '00000008  4a 0a                    J.',
    ]);
  });
});
