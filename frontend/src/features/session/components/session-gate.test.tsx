import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';

import type { Person } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { tellSession } from '@/lib/session-events';
import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import { SessionGate } from './session-gate';

const server = testServer();

const vera: Person = {
  username: 'vera',
  role: 'viewer',
  rights: ['view'],
  preferences: { language: null, time_zone: 'UTC', theme: 'auto', hidden_layers: [] },
};

function Notes() {
  const missing = useMissingRight('view');
  const [text, setText] = useState('');
  return (
    <label>
      Notes
      <input
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
        }}
      />
      <output>{missing ?? 'may view'}</output>
    </label>
  );
}

function Operator() {
  return <p>{useMissingRight('operate') ?? 'may operate'}</p>;
}

describe('the gate of the session', () => {
  it('asks again who somebody is when their rights have changed, without taking the page away', async () => {
    let me = vera;
    server.on('GET', '/api/v1/me', () => ({ body: me }));
    render(
      <SessionGate>
        <Operator />
      </SessionGate>,
    );
    expect(await screen.findByText(/viewer/)).toBeInTheDocument();
    me = { ...me, role: 'operator', rights: ['view', 'operate'] };
    act(() => {
      tellSession('rights');
    });
    expect(await screen.findByText('may operate')).toBeInTheDocument();
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  it.each([
    ['vera', 'what vera wrote'],
    ['anna', ''],
  ])('says that the session has ended, and gives %s "%s" of the page that was open', async (next, kept) => {
    let me = vera;
    server.on('GET', '/api/v1/me', () => ({ body: me }));
    server.on('POST', '/api/v1/login', () => {
      me = { ...vera, username: next };
      return { body: me };
    });
    render(
      <SessionGate>
        <Notes />
      </SessionGate>,
    );
    await userEvent.type(await screen.findByLabelText(/Notes/), 'what vera wrote');
    act(() => {
      tellSession('ended');
    });
    const dialog = await screen.findByRole('dialog');
    expect(dialog).toHaveTextContent('your session has ended, or somebody has ended it');
    expect(screen.getByText('Your session has ended. Log in to go on.')).toBeInTheDocument();
    await userEvent.type(within(dialog).getByLabelText(/User name/), next);
    await userEvent.type(within(dialog).getByLabelText(/Password/), 'a long one');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Log in' }));
    expect(await screen.findByText('may view')).toBeInTheDocument();
    expect(screen.getByLabelText(/Notes/)).toHaveValue(kept);
  });
});
