import { act, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';

import type { Person } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { tellSession } from '@/lib/session-events';
import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import { SessionGate } from './session-gate';

const server = testServer();

function Operator() {
  return <p>{useMissingRight('operate') ?? 'may operate'}</p>;
}

describe('the gate of the session', () => {
  it('asks again who somebody is when their rights have changed, without taking the page away', async () => {
    let me: Person = {
      username: 'vera',
      role: 'viewer',
      rights: ['view'],
      preferences: { language: null, time_zone: 'UTC', theme: 'auto', hidden_layers: [] },
    };
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
});
