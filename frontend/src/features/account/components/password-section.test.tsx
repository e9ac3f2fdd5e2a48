import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import { PasswordSection } from './password-section';

const server = testServer();

describe('another password', () => {
  it('leaves tokens alone, or ends them where that is ticked, and no current one is sent where none was typed', async () => {
    const sent: unknown[] = [];
    server.on('POST', '/api/v1/me/password', ({ body }) => {
      sent.push(body);
      return {};
    });
    render(<PasswordSection />);
    const fresh = screen.getByLabelText('New password');
    const set = screen.getByRole('button', { name: 'Set the password' });
    await userEvent.type(fresh, 'an even longer secret');
    await userEvent.click(set);
    await waitFor(() => {
      expect(sent).toEqual([{ current_password: null, new_password: 'an even longer secret', ends_tokens: false }]);
    });
    await waitFor(() => {
      expect(fresh).toHaveValue('');
    });
    await userEvent.type(screen.getByLabelText('Current password'), 'an even longer secret');
    await userEvent.type(fresh, 'a third secret, and long');
    await userEvent.click(screen.getByRole('checkbox', { name: 'Revoke all my tokens too' }));
    await userEvent.click(set);
    await waitFor(() => {
      expect(sent).toHaveLength(2);
    });
    expect(sent[1]).toEqual({
      current_password: 'an even longer secret',
      new_password: 'a third secret, and long',
      ends_tokens: true,
    });
    await waitFor(() => {
      expect(screen.getByRole('checkbox', { name: 'Revoke all my tokens too' })).not.toBeChecked();
    });
  });
});
