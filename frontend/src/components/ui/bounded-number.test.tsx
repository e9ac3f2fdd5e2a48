import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';

import { render } from '@/testing/render';

import { BoundedNumber, boundedNumber } from './bounded-number';

function Field() {
  const [value, setValue] = useState<number | string>(5);
  return (
    <>
      <BoundedNumber label="Count" min={1} max={1000} value={value} onChange={setValue} />
      <output data-testid="taken">{String(boundedNumber(value, 1, 1000))}</output>
    </>
  );
}

it.each([
  ['2000', 'null'],
  ['-5', 'null'],
  ['0', 'null'],
  ['1000', '1000'],
  ['7', '7'],
])('leaves %s as it is typed and says the bounds where they are passed', async (typed, taken) => {
  render(<Field />);
  const field = screen.getByRole('textbox', { name: 'Count' });
  await userEvent.clear(field);
  expect(screen.getByText('From 1 to 1,000')).toBeInTheDocument();
  await userEvent.type(field, typed);
  await userEvent.tab();
  expect(field).toHaveValue(typed);
  expect(screen.getByTestId('taken')).toHaveTextContent(taken);
  expect(screen.queryByText('From 1 to 1,000') === null).toBe(taken !== 'null');
});
