import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';

import { demoEstate, routeTo } from '@/testing/demo-estate';
import { render } from '@/testing/render';

import { RouteTraffic } from './route-traffic';

const path = { instance: 'PARIS', database: 'Ventes' };
const use = { route: 'Là', conversations: 1, messages: 3, blocked: 3, number: 9754, oldest: null, delivered: 4 };

it('links from a dead route to the messages that wait for it', () => {
  render(<RouteTraffic estate={demoEstate()} path={path} route={routeTo('Là', 'LYON')} use={use} />);
  const link = screen.getByRole('link', { name: '3 messages, error 9754' });
  const address = new URL(link.getAttribute('href') ?? '', 'http://here');
  expect(address.pathname).toMatch(/\/estates\/[^/]+\/live\/transmission-queues$/);
  expect(Object.fromEntries(address.searchParams)).toMatchObject({ ...path, number: '9754' });
});

it('has no link where nothing waits, and says where no message has taken the route', () => {
  const { rerender } = render(
    <RouteTraffic
      estate={demoEstate()}
      path={path}
      route={routeTo('Là', 'LYON')}
      use={{ ...use, messages: 0, blocked: 0, number: null }}
    />,
  );
  expect(screen.queryByRole('link')).toBeNull();
  expect(screen.getByText('4 messages')).toBeInTheDocument();
  rerender(<RouteTraffic estate={demoEstate()} path={path} route={routeTo('Là', 'LYON')} use={null} />);
  expect(screen.getByText(/No message has taken this route/)).toBeInTheDocument();
});
