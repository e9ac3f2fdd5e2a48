import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';

import { render } from '@/testing/render';

import { FocusHints } from './focus-hints';
import { Hint } from './hint';

it('shows its words while the pointer is there and leaves the element where it is, so that no click is lost', async () => {
  render(
    <Hint label="to TCP://hub:4022">
      <button type="button">Route</button>
    </Hint>,
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

it.each([
  [
    'its own',
    <Hint key="" label="More">
      <button type="button">One</button>
    </Hint>,
  ],
  [
    'of its one part',
    <button key="" type="button">
      One
      <Hint label="More">
        <span>part</span>
      </Hint>
    </button>,
  ],
  [
    'that of an element which is no control',
    <Hint key="" label="More" isStop>
      <span>part</span>
    </Hint>,
  ],
  [
    'its title',
    <button key="" type="button" title="More">
      One
    </button>,
  ],
])('is shown to the keyboard until the focus goes or Escape is pressed: %s', async (_, element) => {
  const user = userEvent.setup();
  render(
    <>
      <FocusHints />
      {element}
      <button type="button">Two</button>
    </>,
  );
  await user.tab();
  expect(await screen.findByRole('tooltip')).toHaveTextContent('More');
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('tooltip')).toBeNull();
  await user.tab({ shift: true });
  await user.tab();
  expect(await screen.findByRole('tooltip')).toHaveTextContent('More');
  await user.tab();
  expect(screen.getByRole('button', { name: 'Two' })).toHaveFocus();
  expect(screen.queryByRole('tooltip')).toBeNull();
});

it('says nothing that stands there anyway, nor what only one of several parts means', async () => {
  const user = userEvent.setup();
  render(
    <>
      <FocusHints />
      <button type="button" title="One">
        One
      </button>
      <button type="button">
        <span title="a">A</span>
        <span title="b">B</span>
      </button>
    </>,
  );
  await user.tab();
  expect(screen.getByRole('button', { name: 'One' })).toHaveFocus();
  expect(screen.queryByRole('tooltip')).toBeNull();
  await user.tab();
  expect(screen.queryByRole('tooltip')).toBeNull();
});
