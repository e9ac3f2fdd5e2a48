import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';

import type { TrainingGroup } from '@/contracts/api';
import { render } from '@/testing/render';
import { problem, testServer } from '@/testing/server';
import { run, runId } from '@/testing/training';

import { Groups } from './groups';

const server = testServer();

let groups: TrainingGroup[] = [];

const untried = { runs: 0, best_score: null, best_exam_score: null, running: null, last_at: null };

beforeEach(() => {
  groups = [{ id: 4, name: 'Night shift', members: ['luc', 'mia'] }];
  server.on('GET', '/api/v1/training/groups', () => ({ body: { groups } }));
  server.on('GET', '/api/v1/training/groups/4/progress', () => ({
    body: {
      group: groups[0],
      scenarios: [
        { id: 'first-route', title: 'The first route' },
        { id: 'loop', title: 'The loop' },
      ],
      members: [
        {
          username: 'luc',
          completed: 0,
          scenarios: [
            { ...untried, scenario: 'first-route', runs: 2, best_score: 80, running: run() },
            { ...untried, scenario: 'loop' },
          ],
        },
        {
          username: 'mia',
          completed: 1,
          scenarios: [
            { ...untried, scenario: 'first-route', runs: 1, best_score: 100 },
            { ...untried, scenario: 'loop', runs: 1 },
          ],
        },
      ],
    },
  }));
});

async function open() {
  render(<Groups />, { role: 'admin' });
  await screen.findByRole('row', { name: /^luc/ });
  return userEvent.setup();
}

describe('the groups of a trainer', () => {
  it('show what each member has made, and lead into runs that go on', async () => {
    await open();
    const luc = screen.getByRole('row', { name: /^luc/ });
    expect(within(luc).getByRole('link', { name: 'Look into the run of luc: The first route' })).toHaveAttribute(
      'href',
      `/training/${runId}`,
    );
    expect(luc).toHaveTextContent('80 %');
    expect(screen.getByRole('row', { name: /^mia/ })).toHaveTextContent('mia100 %tried');
  });

  it('are made of names with commas between', async () => {
    const user = await open();
    server.on('POST', '/api/v1/training/groups', ({ body }) => {
      groups = [...groups, { id: 5, ...(body as { name: string; members: string[] }) }];
      return { status: 201, body: groups[1] };
    });
    server.on('GET', '/api/v1/training/groups/5/progress', () => ({
      body: { group: groups[1], scenarios: [], members: [] },
    }));
    const form = within(screen.getByRole('form', { name: 'Create the group' }));
    await user.type(form.getByRole('textbox', { name: 'Name of a new group' }), 'Day shift');
    await user.type(form.getByRole('textbox', { name: 'Members, with commas between' }), 'ada, ,luc ');
    await user.click(form.getByRole('button', { name: 'Create the group' }));
    expect(await screen.findByRole('heading', { name: 'Day shift' })).toBeInTheDocument();
    expect(groups[1]?.members).toEqual(['ada', 'luc']);
    expect(form.getByRole('textbox', { name: 'Name of a new group' })).toHaveValue('');
  });

  it('are renamed, and their members changed', async () => {
    const user = await open();
    server.on('PUT', '/api/v1/training/groups/4', ({ body }) => {
      groups = [{ id: 4, ...(body as { name: string; members: string[] }) }];
      return { body: groups[0] };
    });
    await user.click(screen.getByRole('button', { name: 'Change the group Night shift' }));
    const form = within(screen.getByRole('form', { name: 'Change the group Night shift' }));
    expect(form.getByRole('textbox', { name: 'Members, with commas between' })).toHaveValue('luc, mia');
    const name = form.getByRole('textbox', { name: 'Name' });
    await user.clear(name);
    await user.type(name, 'Evening shift');
    await user.click(form.getByRole('button', { name: 'Keep the changes' }));
    expect(await screen.findByRole('heading', { name: 'Evening shift' })).toBeInTheDocument();
    expect(groups[0]?.members).toEqual(['luc', 'mia']);
    expect(screen.queryByRole('button', { name: 'Keep the changes' })).not.toBeInTheDocument();
  });

  it('keep their name where it is taken, and say so', async () => {
    const user = await open();
    server.on('PUT', '/api/v1/training/groups/4', () =>
      problem(409, 'group-name-taken', 'You have a group of that name.'),
    );
    await user.click(screen.getByRole('button', { name: 'Change the group Night shift' }));
    await user.click(screen.getByRole('button', { name: 'Keep the changes' }));
    expect(await screen.findByText('You have a group of that name.')).toBeInTheDocument();
    expect(screen.getByRole('form', { name: 'Change the group Night shift' })).toBeInTheDocument();
  });

  it('are deleted when that is said twice', async () => {
    const user = await open();
    server.on('DELETE', '/api/v1/training/groups/4', () => {
      groups = [];
      return { body: null };
    });
    await user.click(screen.getByRole('button', { name: 'Delete the group Night shift' }));
    expect(groups).toHaveLength(1);
    await user.click(screen.getByRole('button', { name: 'Delete the group' }));
    await waitFor(() => {
      expect(screen.queryByRole('heading', { name: 'Night shift' })).not.toBeInTheDocument();
    });
  });
});
