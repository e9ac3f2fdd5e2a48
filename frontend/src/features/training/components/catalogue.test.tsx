import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';

import { render } from '@/testing/render';
import { problem, testServer } from '@/testing/server';
import { card, run, runId, trainingSession } from '@/testing/training';

import { Catalogue } from './catalogue';
import { LessonList } from './lesson-list';

const server = testServer();

beforeEach(() => {
  server.on('GET', '/api/v1/training/scenarios', () => ({
    body: {
      scenarios: [
        card(),
        card({ id: 'silent-queue', title: 'The silent queue', runs: 2, best_score: 90 }),
        card({ id: 'loop', title: 'The loop', runs: 1, running: run({ mode: 'learn' }) }),
      ],
    },
  }));
});

async function cardOf(title: string) {
  const heading = await screen.findByRole('heading', { name: title });
  const item = heading.closest('li');
  if (item === null) {
    throw new Error(`${title} stands in no card.`);
  }
  return within(item);
}

describe('the catalogue', () => {
  it('tells the size of each exercise and how far one has come', async () => {
    render(<Catalogue />);
    const first = await cardOf('The first route');
    expect(first.getByText('15 min · 2 tasks · 2 instances')).toBeInTheDocument();
    expect(first.getByText('Not tried yet')).toBeInTheDocument();
    expect(first.getByText(/^Orders from Paris do not arrive in Lyon/)).toBeInTheDocument();
    expect((await cardOf('The silent queue')).getByText('Best score 90 %')).toBeInTheDocument();
  });

  it('begins a run in the mode that is chosen, and goes there', async () => {
    server.on('POST', '/api/v1/training/sessions', () => ({ status: 201, body: trainingSession() }));
    render(<Catalogue />);
    await userEvent.setup().click(await screen.findByRole('button', { name: 'Practise: The first route' }));
    expect(await screen.findByText(`/training/${runId}`)).toBeInTheDocument();
    const begun = server.asked.find(({ method }) => method === 'POST');
    expect(begun?.body).toEqual({ scenario: 'first-route', mode: 'practise' });
  });

  it('says what an exam is before its time runs, and begins it on a second word only', async () => {
    server.on('POST', '/api/v1/training/sessions', () => ({ status: 201, body: trainingSession() }));
    render(<Catalogue />);
    const user = userEvent.setup();
    const asked = () => server.asked.filter(({ method }) => method === 'POST');
    await user.click(await screen.findByRole('button', { name: 'Exam: The first route' }));
    const question = await screen.findByRole('group', { name: /^An exam takes 15 minutes at most/ });
    await user.click(within(question).getByRole('button', { name: 'Not now' }));
    expect(asked()).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Exam: The first route' }));
    await user.click(screen.getByRole('button', { name: 'Begin the exam' }));
    expect(await screen.findByText(`/training/${runId}`)).toBeInTheDocument();
    expect(asked().map(({ body }) => body)).toEqual([{ scenario: 'first-route', mode: 'exam' }]);
  });

  it('puts forward learning to whoever is new to an exercise, and practice afterwards', async () => {
    render(<Catalogue />);
    const button = async (name: string) => screen.findByRole('button', { name });
    expect(await button('Learn: The first route')).toHaveAttribute('data-variant', 'filled');
    expect(await button('Practise: The first route')).toHaveAttribute('data-variant', 'default');
    expect(await button('Practise: The silent queue')).toHaveAttribute('data-variant', 'filled');
  });

  it('goes on with the run that has not ended, and begins no other', async () => {
    render(<Catalogue />);
    const loop = await cardOf('The loop');
    expect(loop.getByRole('link', { name: 'Go on with The loop' })).toHaveAttribute('href', `/training/${runId}`);
    expect(loop.queryByRole('button')).not.toBeInTheDocument();
  });

  it('says why a run could not be begun', async () => {
    server.on('POST', '/api/v1/training/sessions', () => problem(409, 'training-runs', 'A run of it has not ended.'));
    render(<Catalogue />);
    await userEvent.setup().click(await screen.findByRole('button', { name: 'Learn: The first route' }));
    expect(await screen.findByText('A run of it has not ended.')).toBeInTheDocument();
  });

  it('says in the card that there are too many runs, why, and what to do', async () => {
    server.on('POST', '/api/v1/training/sessions', () =>
      problem(409, 'too-many-runs', 'You have 5 runs that have not ended.', {
        why: 'Every run takes memory.',
        cure: 'Finish a run, then begin this one.',
        parameters: { limit: 5 },
      }),
    );
    render(<Catalogue />);
    await userEvent.setup().click(await screen.findByRole('button', { name: 'Learn: The silent queue' }));
    const told = within(await (await cardOf('The silent queue')).findByRole('alert'));
    expect(told.getByText('You have 5 runs that have not ended.')).toBeInTheDocument();
    expect(told.getByText('Every run takes memory.')).toBeInTheDocument();
    expect(told.getByText('Finish a run, then begin this one.')).toBeInTheDocument();
  });
});

it('lists every lesson', async () => {
  server.on('GET', '/api/v1/training/lessons', () => ({
    body: { lessons: [{ id: 'return-routes', title: 'The way back' }] },
  }));
  render(<LessonList />);
  const link = await screen.findByRole('link', { name: 'The way back' });
  expect(link).toHaveAttribute('href', '/training/lessons/return-routes');
});
