import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';

import { render } from '@/testing/render';

import { Section } from './section';
import { SqlSection } from './sql-text';

it.each([
  [true, 2],
  [false, 3],
])('has the level of heading that follows what it is part of (of a page: %s)', (isOfPage, level) => {
  render(
    <>
      <Section title="Tokens" isOfPage={isOfPage}>
        none
      </Section>
      <SqlSection text="SELECT 1;" isOfPage={isOfPage} />
    </>,
  );
  expect(screen.getAllByRole('heading', { level }).map(({ textContent }) => textContent)).toEqual(['Tokens', 'T-SQL']);
});
