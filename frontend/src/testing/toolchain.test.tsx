import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';

it('renders a component into a document and finds it by its role', () => {
  render(<h1>brokerweb</h1>);
  expect(screen.getByRole('heading', { name: 'brokerweb' })).toBeInTheDocument();
});
