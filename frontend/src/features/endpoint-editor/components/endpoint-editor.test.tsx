import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';

import type { Endpoint } from '@/contracts/api';
import { demoEstate, noTrust } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { answerDrafts, problem, testServer } from '@/testing/server';
import { findInstance } from '@/topology/lookup';

import { EndpointEditor } from './endpoint-editor';

const server = testServer();
const path = '/api/v1/estates/demo-fr-de/instances/PARIS/endpoint';
const estate = demoEstate();

function renderEditor(more: Partial<Endpoint> = {}) {
  const known = findInstance(estate, 'PARIS')?.endpoint;
  if (!known) {
    throw new Error('PARIS has an endpoint in the demo estate');
  }
  const onDone = vi.fn();
  server.on('GET', '/api/v1/estates/demo-fr-de', () => ({ body: estate }));
  answerDrafts(server);
  const endpoint = { ...known, trust: { ...noTrust, usable_certificates: ['Paris', 'Paris 2'] }, ...more };
  render(<EndpointEditor instance="PARIS" endpoint={endpoint} onDone={onDone} onCancel={vi.fn()} />);
  return { onDone, user: userEvent.setup() };
}

const list = (name: RegExp) => screen.getByRole('combobox', { name });

async function choose(user: ReturnType<typeof userEvent.setup>, name: RegExp, option: string) {
  await user.click(list(name));
  await user.click(await screen.findByRole('option', { name: option }));
}

describe('changing the security of an endpoint', () => {
  it('sends the clauses that were changed as T-SQL writes them, into a draft', async () => {
    server.on('PATCH', path, () => ({ body: { revision: 2 } }));
    const { user, onDone } = renderEditor();
    await choose(user, /^authentication/i, 'Certificate, then Windows');
    await choose(user, /^certificate/i, 'Paris 2');
    await user.click(screen.getByRole('button', { name: 'Save changes' }));
    await waitFor(() => {
      expect(onDone).toHaveBeenCalled();
    });
    const asked = server.asked.find((one) => one.method === 'PATCH');
    expect(asked?.body).toEqual({ authentication: 'CERTIFICATE [Paris 2] WINDOWS NEGOTIATE' });
    expect(
      await screen.findByText(/Endpoint BrokerEndpoint of PARIS changed\. .* no message is lost\./),
    ).toBeInTheDocument();
  });

  it('asks for a certificate before it asks the server', async () => {
    const { user } = renderEditor();
    await choose(user, /^authentication/i, 'Certificate');
    await user.click(screen.getByRole('button', { name: 'Save changes' }));
    expect(list(/^certificate/i)).toHaveAccessibleDescription(/Choose a certificate/);
    expect(server.asked.filter((one) => one.method === 'PATCH')).toEqual([]);
  });

  it('shows at the certificate what the server refuses: number, why, what to do', async () => {
    server.on('PATCH', path, () =>
      problem(422, 28055, 'The certificate cannot be used by the endpoint.', {
        why: 'It must be valid now.',
        cure: 'Name another one.',
        pointer: '/authentication',
      }),
    );
    const { user, onDone } = renderEditor({ authentication: 'CERTIFICATE [Paris]' });
    await choose(user, /^certificate/i, 'Paris 2');
    await user.click(screen.getByRole('button', { name: 'Save changes' }));
    await waitFor(() => {
      expect(list(/^certificate/i)).toHaveAccessibleDescription(
        /28055 · The certificate cannot be used by the endpoint\. It must be valid now\. Name another one\./,
      );
    });
    expect(onDone).not.toHaveBeenCalled();
  });

  it('has no algorithm to choose where nothing is encrypted', async () => {
    const { user } = renderEditor();
    expect(list(/^algorithm/i)).toBeInTheDocument();
    await choose(user, /^encryption/i, 'Disabled');
    expect(screen.queryByRole('combobox', { name: /^algorithm/i })).not.toBeInTheDocument();
  });
});
