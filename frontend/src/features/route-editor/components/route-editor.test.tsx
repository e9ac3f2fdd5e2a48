import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';

import { demoEstate, names, routeTo } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { answerDrafts, problem, testServer } from '@/testing/server';
import { findRoute } from '@/topology/lookup';

import { RouteEditor } from './route-editor';

const server = testServer();
const scope = { instance: 'PARIS', database: 'Ventes' };
const routes = '/api/v1/estates/demo-fr-de/instances/PARIS/databases/Ventes/routes';
/** Where a change is tried before a draft is made for it. */
const objects = '/api/v1/estates/demo-fr-de/objects/route';
const estate = demoEstate();
const existing = findRoute(estate, scope, 'VersLyon') ?? routeTo('VersLyon', 'LYON');

const draft = { number: 3, sequence: 7 };
const drafted = { ...estate, change_set: draft };

/** The form over the running estate, or over a draft. */
function renderEditor(route: typeof existing | null, shown = estate) {
  const onDone = vi.fn();
  const onCancel = vi.fn();
  server.on('GET', '/api/v1/estates/demo-fr-de', () => ({ body: shown }));
  answerDrafts(server);
  render(<RouteEditor scope={scope} route={route} onDone={onDone} onCancel={onCancel} />, { estate: shown });
  return { onDone, onCancel, user: userEvent.setup() };
}

const nameField = () => screen.getByRole('textbox', { name: /^name/i });
/** A field with proposals. */
const field = (name: RegExp) => screen.getByRole('combobox', { name });

describe('adding a route', () => {
  it('begins a draft, sends what was typed into it and says so when it is done', async () => {
    server.on('POST', objects, () => ({ status: 200, body: {} }));
    server.on('POST', routes, () => ({ status: 201, body: { revision: 2, route: routeTo('VersHub', 'HUB') } }));
    const { user, onDone } = renderEditor(null);
    await user.type(nameField(), 'VersHub');
    await user.click(field(/^service name/i));
    await user.paste(names.size);
    await user.type(field(/^address/i), 'TCP://hub:4022');
    await user.click(screen.getByRole('button', { name: 'Add route' }));

    await waitFor(() => {
      expect(onDone).toHaveBeenCalledWith('VersHub');
    });
    expect(server.asked.map((asked) => `${asked.method} ${asked.path}`)).toContain(
      'POST /api/v1/estates/demo-fr-de/change-sets',
    );
    expect(server.asked.find((asked) => asked.path === objects)?.body).toEqual({
      ...scope,
      name: 'VersHub',
      fields: { address: 'TCP://hub:4022', service_name: names.size },
      dry_run: true,
    });
    expect(server.asked.find((asked) => asked.path === routes)?.body).toEqual({
      name: 'VersHub',
      address: 'TCP://hub:4022',
      service_name: names.size,
      broker_instance: null,
      mirror_address: null,
      lifetime_seconds: null,
    });
    expect(
      await screen.findByText(/Route VersHub added to PARIS · Ventes\. It is in draft #3, not live yet\./),
    ).toBeInTheDocument();
    await waitFor(() => {
      expect(screen.getByTestId('address')).toHaveTextContent('draft=3');
    });
  });

  it('says at the field that an address has no port, and asks the server nothing', async () => {
    const { user } = renderEditor(null);
    await user.type(nameField(), 'VersHub');
    await user.type(field(/^address/i), 'TCP://hub');
    await user.click(screen.getByRole('button', { name: 'Add route' }));
    expect(field(/^address/i)).toHaveAccessibleDescription(/9744 · The address has no port/);
    expect(server.asked).toEqual([]);
  });

  it('does not complain of a field before it was left', async () => {
    const { user } = renderEditor(null);
    await user.type(field(/^address/i), 'TCP://');
    expect(screen.queryByText(/9744/)).not.toBeInTheDocument();
  });

  it('shows at its field what the server refuses: number, why, what to do', async () => {
    server.on('POST', objects, () =>
      problem(409, 2714, 'A route VersLyon exists already.', {
        why: 'Names are unique in a database.',
        cure: 'Choose another name.',
        pointer: '/name',
      }),
    );
    const { user, onDone } = renderEditor(null);
    await user.type(nameField(), 'VersLyon');
    await user.type(field(/^address/i), 'LOCAL');
    await user.click(screen.getByRole('button', { name: 'Add route' }));

    const message = /2714 · A route VersLyon exists already\. Names are unique in a database\. Choose another name\./;
    await waitFor(() => {
      expect(nameField()).toHaveAccessibleDescription(message);
    });
    expect(onDone).not.toHaveBeenCalled();
    expect(
      server.asked.map((asked) => asked.path),
      'no draft is made for what is refused',
    ).not.toContain('/api/v1/estates/demo-fr-de/change-sets');
    expect(screen.getByTestId('address')).not.toHaveTextContent('draft');
    await user.type(nameField(), '2');
    expect(screen.queryByText(/2714/)).not.toBeInTheDocument();
  });

  it('shows above the fields what belongs to none of them', async () => {
    server.on('POST', objects, () => ({ status: 200, body: {} }));
    server.on('POST', routes, () =>
      problem(503, 'engine-unavailable', 'The engine did not answer.', { cure: 'Start it.' }),
    );
    const { user } = renderEditor(null);
    await user.type(nameField(), 'R');
    await user.type(field(/^address/i), 'LOCAL');
    await user.click(screen.getByRole('button', { name: 'Add route' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('The engine did not answer.');
  });
});

describe('changing a route', () => {
  it('sends only what was changed, with the state of the draft it was made from', async () => {
    server.on('PATCH', `${routes}/VersLyon`, () => ({ body: { revision: 2, route: existing } }));
    const { user, onDone } = renderEditor(existing, drafted);
    await user.clear(field(/^address/i));
    await user.type(field(/^address/i), 'TCP://berlin:4022');
    await user.click(screen.getByRole('button', { name: 'Save changes' }));
    await waitFor(() => {
      expect(onDone).toHaveBeenCalled();
    });
    const asked = server.asked.find((one) => one.method === 'PATCH');
    expect(asked?.body).toEqual({ address: 'TCP://berlin:4022' });
    expect(asked?.headers.get('If-Match')).toBe('"3-7"');
    expect(server.asked.map((one) => one.path)).not.toContain('/api/v1/estates/demo-fr-de/change-sets');
  });

  it('keeps what was typed when somebody else was quicker, and saves on top of theirs', async () => {
    server.on('PATCH', `${routes}/VersLyon`, ({ headers }) =>
      headers.get('If-Match') === '"3-7"'
        ? problem(412, 'revision-conflict', 'anna changed the draft meanwhile.')
        : { body: { revision: 6, route: existing } },
    );
    const { user, onDone } = renderEditor(existing, drafted);
    server.on('GET', '/api/v1/estates/demo-fr-de', () => ({
      body: { ...estate, change_set: { number: 3, sequence: 9 } },
    }));
    await user.click(field(/^broker instance/i));
    await user.paste(names.mirrorId);
    await user.click(screen.getByRole('button', { name: 'Save changes' }));
    expect(await screen.findByText('anna changed the draft meanwhile.')).toBeInTheDocument();

    await user.click(screen.getByRole('button', { name: 'Reload and keep what I typed' }));
    await waitFor(() => {
      expect(screen.queryByText(/anna/)).not.toBeInTheDocument();
    });
    expect(field(/^broker instance/i)).toHaveValue(names.mirrorId);
    await user.click(screen.getByRole('button', { name: 'Save changes' }));
    await waitFor(() => {
      expect(onDone).toHaveBeenCalled();
    });
  });
});
