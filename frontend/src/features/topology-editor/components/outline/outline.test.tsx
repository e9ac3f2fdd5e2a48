import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';

import { render } from '@/testing/render';

import { Outline } from './outline';

const show = (address = '/') => {
  const onDelete = vi.fn();
  render(<Outline onClose={vi.fn()} onDelete={onDelete} />, { address });
  return { onDelete, person: userEvent.setup() };
};

const row = (name: RegExp) => screen.getByRole('row', { name });
/** A selection is text within a query, so it is escaped twice. */
const address = () => decodeURIComponent(decodeURIComponent(screen.getByTestId('address').textContent));

describe('the outline', () => {
  it('goes down into a database by keyboard and selects what it is on', async () => {
    const { person } = show();
    await person.tab();
    await person.tab();
    await person.tab();
    expect(row(/BERLIN/)).toHaveFocus();
    await person.keyboard('{End}{ArrowRight}{ArrowRight}');
    expect(row(/PARIS/)).toHaveAttribute('aria-expanded', 'true');
    await vi.waitFor(() => {
      expect(row(/msdb/)).toHaveFocus();
    });
    await person.keyboard('{Enter}');
    expect(address()).toContain('select=database/PARIS/msdb');
    await person.keyboard('{ArrowLeft}');
    await vi.waitFor(() => {
      expect(row(/PARIS/)).toHaveFocus();
    });
    await person.keyboard('{ArrowLeft}');
    expect(row(/PARIS/)).toHaveAttribute('aria-expanded', 'false');
  });

  it('shows what is selected elsewhere, unfolded and marked', () => {
    show(`/?select=${encodeURIComponent('database/LYON/Entrepôt')}`);
    expect(within(screen.getByRole('row', { selected: true })).getByText('Entrepôt')).toBeInTheDocument();
  });

  it('finds without accents, and Enter takes the first that is found', async () => {
    const { person } = show();
    await person.type(screen.getByRole('textbox', { name: 'Find in the outline' }), 'reception{Enter}');
    expect(address()).toMatch(/select=(service|route)\//);
    expect(
      address()
        .normalize('NFD')
        .replaceAll(/\p{Diacritic}/gu, ''),
    ).toMatch(/reception/i);
  });

  it('asks for the deletion of a route, and of nothing else', async () => {
    const { person, onDelete } = show();
    await person.type(screen.getByRole('textbox', { name: 'Find in the outline' }), 'AutoCreatedLocal');
    const [route] = screen.getAllByRole('row', { name: /AutoCreatedLocal/ });
    await person.click(screen.getByRole('row', { name: /BERLIN/ }));
    await person.keyboard('{Delete}');
    expect(onDelete).not.toHaveBeenCalled();
    await person.click(route ?? document.body);
    await person.keyboard('{Delete}');
    expect(onDelete).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ kind: 'route', name: 'AutoCreatedLocal' }),
    );
  });
});
