import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import { demoEstate } from '@/testing/demo-estate';
import { finding, findings } from '@/testing/findings';
import { render } from '@/testing/render';
import { problem, testServer } from '@/testing/server';

import { FindingsPanel } from './findings-panel';

const server = testServer();
const path = '/api/v1/estates/demo-fr-de/findings';

function answer(list: ReturnType<typeof finding>[], more = {}) {
  server.on('GET', path, () => ({ body: findings(list, more) }));
}

function routeWithService() {
  for (const { name: instance, databases } of demoEstate().instances) {
    for (const { name: database, routes } of databases) {
      const route = routes.find(({ service_name: service }) => service !== null);
      if (route !== undefined) {
        return { instance, database, route };
      }
    }
  }
  throw new Error('The estate for tests has no such route.');
}

describe('the findings', () => {
  it('are listed with sign and word, and their object is a link to the canvas', async () => {
    answer([finding(), finding({ key: 'b', severity: 'warning', code: 'SBD-108', title: 'Near miss' })]);
    render(<FindingsPanel />);
    const first = await screen.findByRole('row', { name: /SBD-102/ });
    expect(within(first).getByText('Error')).toBeVisible();
    expect(within(screen.getByRole('row', { name: /SBD-108/ })).getByText('Warning')).toBeVisible();
    expect(screen.getByRole('status', { name: 'Open findings' })).toHaveTextContent('1 error');
    const link = within(first).getByRole('link', { name: /LYON · Archives.*show it on the canvas/ });
    expect(link).toHaveAttribute('href', '/estates/demo-fr-de/topology?select=database%2FLYON%2FArchives');
  });

  it('say why, what to do and what would mend them when one is chosen, and the address says which', async () => {
    answer([finding({ fix: [{ instance: 'LYON', steps: ['Create route Retour in database Archives.'] }] })]);
    render(<FindingsPanel />);
    await userEvent.click(await screen.findByText(/has no way back/));
    const details = screen.getByRole('complementary', { name: 'About the finding' });
    expect(details).toHaveTextContent('Acknowledgements do not come back.');
    expect(details).toHaveTextContent('Create a route in LYON.Archives.');
    expect(details).toHaveTextContent('Create route Retour in database Archives.');
    expect(details).toHaveTextContent('In revision 3, 1 Jan 2026, 00:00:00 UTC');
    expect(screen.getByTestId('address')).toHaveTextContent('finding=a');
    await userEvent.click(within(details).getByRole('button', { name: 'Close the finding' }));
    expect(screen.getByTestId('address')).not.toHaveTextContent('finding=');
  });

  it('lead from a route to the what-if of the flow that it is for', async () => {
    const { instance, database, route } = routeWithService();
    answer([finding({ subject: { instance, database, kind: 'route', name: route.name } })]);
    render(<FindingsPanel />);
    await userEvent.click(await screen.findByText(/has no way back/));
    const link = screen.getByRole('link', { name: 'Open in what-if' });
    expect(new URLSearchParams(link.getAttribute('href')?.split('?')[1]).get('to')).toBe(route.service_name);
  });

  it('can be suppressed with a reason, and not without', async () => {
    answer([finding()]);
    server.on('POST', `${path}/suppressions`, () => {
      answer([]);
      return {
        status: 201,
        body: { id: 1, reason: 'Known.', author: 'tester', created_at: '2026-01-01T00:00:00Z', expires_at: null },
      };
    });
    render(<FindingsPanel />, { address: '/?finding=a' });
    const form = await screen.findByRole('form', { name: 'Suppress the finding' });
    const button = within(form).getByRole('button', { name: 'Suppress' });
    await userEvent.click(button);
    expect(server.asked.some(({ method }) => method === 'POST')).toBe(false);
    await userEvent.type(within(form).getByRole('textbox', { name: /Why/ }), 'Known.');
    await userEvent.click(within(form).getByRole('button', { name: 'Suppress' }));
    await waitFor(() => {
      expect(screen.queryByText(/has no way back/)).toBeNull();
    });
    const sent = server.asked.find(({ method }) => method === 'POST')?.body as {
      key: string;
      reason: string;
      expires_at: string;
    };
    expect(sent).toMatchObject({ key: 'a', reason: 'Known.' });
    expect((Date.parse(sent.expires_at) - Date.now()) / 86_400_000).toBeCloseTo(30, 2);
  });

  it('show who has suppressed them and why, and take it back', async () => {
    const suppression = {
      id: 7,
      reason: 'The auditors read it.',
      author: 'anna',
      created_at: '2026-01-01T00:00:00Z',
      expires_at: null,
    };
    answer([finding({ suppression })]);
    server.on('DELETE', `${path}/suppressions/7`, () => {
      answer([finding()]);
      return { status: 200, body: null };
    });
    render(<FindingsPanel />, { address: '/?finding=a&suppressed=all' });
    expect(await screen.findByText('The auditors read it.')).toBeVisible();
    expect(screen.getByText('anna')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Take back' }));
    expect(await screen.findByRole('form', { name: 'Suppress the finding' })).toBeVisible();
  });

  it('say who may not suppress', async () => {
    answer([finding()]);
    render(<FindingsPanel />, { address: '/?finding=a', role: 'viewer' });
    const button = await screen.findByRole('button', { name: 'Suppress' });
    expect(button).toHaveAccessibleDescription(/Your role, viewer, may not change the topology/);
  });

  it('name the checks that ran when nothing was found', async () => {
    answer([]);
    render(<FindingsPanel />);
    expect(await screen.findByText('Nothing is wrong with the definitions of this estate.')).toBeVisible();
    expect(screen.getByText('SBD-101')).toBeVisible();
    expect(screen.getByText('The model has no availability groups.')).toBeVisible();
  });

  it('tell an empty filter from a sound estate', async () => {
    answer([], { errors: 2 });
    render(<FindingsPanel />, { address: '/?code=SBD-101' });
    await userEvent.click(await screen.findByRole('button', { name: 'Show all open findings' }));
    expect(screen.getByTestId('address')).not.toHaveTextContent('code=');
  });

  it('say what went wrong when they cannot be read', async () => {
    server.on('GET', path, () => problem(404, 'not-found', 'There is no estate demo-fr-de.'));
    render(<FindingsPanel />);
    expect(await screen.findByRole('alert')).toHaveTextContent('There is no estate demo-fr-de.');
  });
});
