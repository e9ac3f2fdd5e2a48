import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';

import { database, demoEstate, instance } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import { EndpointSwitch } from './endpoint-switch';

const server = testServer();

it('stops an endpoint only after its consequences were shown and confirmed', async () => {
  const path = '/api/v1/estates/demo-fr-de/instances/LYON/endpoint';
  server.on('POST', path, () => ({ body: { revision: 9 } }));
  render(<EndpointSwitch estate={demoEstate().name} instance={instance('LYON', [database('Stock', '2')])} />);
  const user = userEvent.setup();
  const open = async () => {
    await user.click(screen.getByRole('button', { name: 'Stop endpoint… of LYON' }));
    return within(await screen.findByRole('dialog', { name: 'Stop the endpoint of LYON' }));
  };
  const first = await open();
  expect(first.getByText(/All connections of LYON are closed/)).toBeInTheDocument();
  await user.click(first.getByRole('button', { name: 'Cancel' }));
  expect(server.asked).toEqual([]);
  await user.click((await open()).getByRole('button', { name: 'Stop' }));
  expect(await screen.findByText(/The endpoint of LYON is stopped: revision 9/)).toBeInTheDocument();
  expect(server.asked.map(({ body }) => body)).toEqual([{ state: 'STOPPED' }]);
});
