import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import type { Service } from '@/contracts/api';
import { demoEstate, names, service } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { answerDrafts, problem, testServer } from '@/testing/server';
import { canBeGranted } from '@/topology/permissions';
import { serviceText } from '@/topology/tsql-text';

import { SendPermissions } from './send-permissions';

const server = testServer();
const place = { instance: 'LYON', database: 'Entrepôt' };
const api = `/api/v1/estates/demo-fr-de/instances/LYON/databases/Entrepôt/services/${names.reception}/permissions`;
const closed = { send_permissions: [] };

function renderPermissions(more: Partial<Service> = {}) {
  server.on('GET', '/api/v1/estates/demo-fr-de', () => ({ body: demoEstate() }));
  answerDrafts(server);
  const wanted = service(names.reception, 'dbo.Réception', more);
  render(<SendPermissions estate="demo-fr-de" path={place} service={wanted} users={['Acheteur', 'Magasinier']} />);
  return userEvent.setup();
}

const asked = () => server.asked.filter((one) => one.method === 'POST' && one.path === api).map((one) => one.body);

describe('who may send to a service', () => {
  it('revokes what public has', async () => {
    server.on('POST', api, () => ({ body: { revision: 2 } }));
    const user = renderPermissions();
    expect(screen.getByText('May send')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Revoke SEND from public' }));
    await waitFor(() => {
      expect(asked()).toEqual([{ grantee: 'public', verb: 'REVOKE' }]);
    });
    expect(await screen.findByText(/Dialogs that have begun go on\./)).toBeInTheDocument();
  });

  it('says what becomes of dialogs when nobody may send, and grants a user', async () => {
    server.on('POST', api, () => ({ body: { revision: 2 } }));
    const user = renderPermissions(closed);
    expect(screen.getByText(/SEND is granted to nobody.*-8494/)).toBeInTheDocument();
    await user.click(screen.getByRole('combobox', { name: 'User or public' }));
    await user.click(await screen.findByRole('option', { name: 'Acheteur' }));
    await user.click(screen.getByRole('button', { name: 'Grant SEND' }));
    await waitFor(() => {
      expect(asked()).toEqual([{ grantee: 'Acheteur', verb: 'GRANT' }]);
    });
  });

  it('says that messages are dropped where the owner may not receive', () => {
    renderPermissions({ owner: 'Magasinier', owner_may_receive: false });
    expect(
      screen.getByText(/Magasinier owns the service and may not RECEIVE from dbo\.Réception: .* 8401/),
    ).toBeInTheDocument();
  });

  it('tells why the server refuses', async () => {
    server.on('POST', api, () => problem(422, 4624, "Permissions of 'public' cannot be granted, denied or revoked"));
    const user = renderPermissions();
    await user.click(screen.getByRole('button', { name: 'Revoke SEND from public' }));
    expect(await screen.findByText(/4624/)).toBeInTheDocument();
  });
});

describe('the words about permissions', () => {
  it('offers neither the owner nor dbo nor those of whom something is said', () => {
    answerDrafts(server);
    const wanted = service('s', 'q', { owner: 'Magasinier' });
    expect(canBeGranted(wanted, ['acheteur', 'magasinier', 'DBO'])).toEqual(['acheteur']);
    expect(canBeGranted({ ...wanted, ...closed }, ['acheteur'])).toEqual(['public', 'acheteur']);
  });

  it('writes them as T-SQL that makes a new service like this one', () => {
    const text = serviceText(
      'd',
      service('s', 'dbo.q', { owner: 'o', send_permissions: [{ grantee: 'a', is_denied: true }] }),
    );
    expect(text).toContain('CREATE SERVICE [s] AUTHORIZATION [o]');
    expect(text.split('\n').slice(-2)).toEqual([
      'REVOKE SEND ON SERVICE::[s] FROM [public];',
      'DENY SEND ON SERVICE::[s] TO [a];',
    ]);
    expect(serviceText('d', service('s', 'dbo.q'))).toContain('GRANT SEND ON SERVICE::[s] TO [public];');
  });
});
