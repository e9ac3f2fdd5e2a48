import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';

import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import { useEdit } from './use-draft';

const server = testServer();

function Editor({ refuses }: { refuses: boolean }) {
  const edit = useEdit();
  const [isOver, end] = useState(false);
  const tryOut = () => (refuses ? Promise.reject(new Error('refused')) : Promise.resolve());
  return (
    <button
      onClick={() => {
        edit(() => Promise.resolve(), null, { title: 'A fix', tryOut })
          .catch(() => undefined)
          .finally(() => {
            end(true);
          });
      }}
    >
      {isOver ? 'over' : 'edit'}
    </button>
  );
}

it.each([
  [true, []],
  [false, [{ title: 'A fix' }]],
])('makes a change set only for an edit that is not refused (%s)', async (refuses, made) => {
  server.on('POST', '/api/v1/estates/demo-fr-de/change-sets', () => ({
    status: 201,
    body: { number: 4, sequence: 0 },
  }));
  render(<Editor refuses={refuses} />);
  await userEvent.click(screen.getByRole('button'));
  await screen.findByRole('button', { name: 'over' });
  expect(server.asked.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual(made);
});
