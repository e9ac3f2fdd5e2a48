import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';

import { PageTitle } from '@/app/shell/page-title';
import { render } from '@/testing/render';

import NotFoundPage from './not-found-page';

it('names the address that has no page, in the page and in the tab', () => {
  render(
    <>
      <PageTitle />
      <NotFoundPage />
    </>,
    { address: '/nonsense' },
  );
  expect(screen.getByRole('heading', { name: 'Page not found' })).toBeInTheDocument();
  expect(screen.getByText(/There is no page at \/nonsense/)).toBeInTheDocument();
  expect(document.title).toBe('Page not found · brokerweb');
});
