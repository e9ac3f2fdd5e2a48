import { render, waitFor } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { expect, it } from 'vitest';

import { PageTitle } from './page-title';

it.each([
  ['/', 'brokerweb'],
  ['/estates/demo/topology', 'Topology · demo · brokerweb'],
  ['/estates/R%C3%A9seau%20%2F%201/whatif/questions', 'What-if: questions · Réseau / 1 · brokerweb'],
  ['/estates/demo/changes/4', 'Changes: 4 · demo · brokerweb'],
  ['/estates/demo/live/queues', 'Live: queues · demo · brokerweb'],
  ['/training/lessons/routes', 'Training: routes · brokerweb'],
  ['/account', 'Your account · brokerweb'],
  ['/nowhere', 'Page not found · brokerweb'],
])('%s is called "%s"', async (address, title) => {
  render(
    <MemoryRouter initialEntries={[address]}>
      <PageTitle />
    </MemoryRouter>,
  );
  await waitFor(() => {
    expect(document.title).toBe(title);
  });
});
