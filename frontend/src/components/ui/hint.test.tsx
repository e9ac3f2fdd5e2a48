import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';

import { Hint } from './hint';

it('shows its words while the pointer is there and leaves the element where it is, so that no click is lost', async () => {
  render(
    <MantineProvider>
      <Hint label="to TCP://hub:4022">
        <button type="button">Route</button>
      </Hint>
    </MantineProvider>,
  );
  const before = screen.getByRole('button', { name: 'Route' });
  expect(screen.queryByRole('tooltip')).toBeNull();
  fireEvent.pointerEnter(before);
  expect(await screen.findByRole('tooltip')).toHaveTextContent('to TCP://hub:4022');
  expect(screen.getByRole('button', { name: 'Route' })).toBe(before);
  fireEvent.pointerLeave(before);
  expect(screen.queryByRole('tooltip')).toBeNull();
  expect(screen.getByRole('button', { name: 'Route' })).toBe(before);
});
