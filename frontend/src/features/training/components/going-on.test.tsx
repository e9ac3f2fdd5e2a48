import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import { render } from '@/testing/render';
import { problem, testServer, type Answer } from '@/testing/server';
import { clock, runId, runPath, trainingSession } from '@/testing/training';

import { useRun } from '../use-run';
import { RunBar } from './run-bar';

const server = testServer();

function Bar() {
  const work = useRun(runId);
  return work.run.data === undefined ? null : <RunBar session={work.run.data} work={work} />;
}

async function open(rate = 0) {
  server.on('GET', runPath, () => ({ body: trainingSession({ clock: clock({ rate }) }) }));
  const shown = render(<Bar />);
  await screen.findByRole('group', { name: 'How the run stands' });
  return { user: userEvent.setup(), ...shown };
}

/** Answers one after the other, each when the test lets it. */
function held(what: string) {
  const waiting: ((answer: Answer) => void)[] = [];
  server.on('POST', `${runPath}/${what}`, () => new Promise((resolve) => waiting.push(resolve)));
  return async (answer: Answer) => {
    await waitFor(() => {
      expect(waiting).toHaveLength(1);
    });
    waiting.pop()?.(answer);
  };
}

/** The run at a second, and where what was asked for was to lead. */
function at(seconds: number, goal: number | null, rate = 0): Answer {
  return { body: trainingSession({ clock: clock({ seconds, goal_seconds: goal, rate }) }) };
}

function posted(): [string, unknown][] {
  return server.asked.flatMap(({ method, path, body }) =>
    method === 'POST' ? [[path.replace(runPath, ''), body]] : [],
  );
}

const step = () => screen.getByRole('button', { name: 'Step 30 s' });

describe('a step that ends early', () => {
  it('goes on with what is left until it is there, says how far it is, and lets no other deed between', async () => {
    const { user } = await open();
    const answer = held('clock/step');
    await user.click(step());
    await answer(at(105, 125));
    const going = await screen.findByRole('group', { name: 'Time that passes at once' });
    expect(going).toHaveTextContent('0:01:45 of 0:02:05');
    expect(Number(within(going).getByRole('progressbar').getAttribute('aria-valuenow'))).toBeCloseTo(100 / 3);
    expect(screen.getByTestId('sandbox-time')).toHaveTextContent('0:01:45');
    expect(screen.getByRole('button', { name: 'Check' })).toBeDisabled();
    expect(step()).toBeDisabled();
    expect(screen.getByRole('button', { name: 'Pause' })).toHaveAttribute('aria-pressed', 'false');
    await answer(at(120, 125));
    await answer(at(125, null));
    await waitFor(() => {
      expect(step()).toBeEnabled();
    });
    expect(screen.queryByRole('group', { name: 'Time that passes at once' })).not.toBeInTheDocument();
    expect(posted()).toEqual([
      ['/clock/step', { seconds: 30 }],
      ['/clock/step', { seconds: 20 }],
      ['/clock/step', { seconds: 5 }],
    ]);
  });

  it('ends where it is when one stops it', async () => {
    const { user } = await open();
    const answer = held('clock/step');
    await user.click(step());
    await answer(at(105, 125));
    await user.click(await screen.findByRole('button', { name: 'Stop here' }));
    expect(screen.getByRole('button', { name: 'Stop here' })).toBeDisabled();
    await answer(at(110, 125));
    await waitFor(() => {
      expect(step()).toBeEnabled();
    });
    expect(screen.getByTestId('sandbox-time')).toHaveTextContent('0:01:50');
    expect(posted()).toHaveLength(2);
  });

  it('ends with a pause, which comes after what is on its way', async () => {
    const { user } = await open(1);
    const answer = held('clock/step');
    server.on('POST', `${runPath}/clock/rate`, () => at(112, null));
    await user.click(step());
    await answer(at(105, 125, 1));
    await screen.findByRole('button', { name: 'Stop here' });
    await user.click(screen.getByRole('button', { name: 'Pause' }));
    await answer(at(110, 125, 1));
    await waitFor(() => {
      expect(screen.getByRole('button', { name: 'Pause' })).toHaveAttribute('aria-pressed', 'true');
    });
    expect(posted()).toEqual([
      ['/clock/step', { seconds: 30 }],
      ['/clock/step', { seconds: 20 }],
      ['/clock/rate', { rate: 0 }],
    ]);
  });

  it('ends when one leaves the page', async () => {
    const { user, unmount } = await open();
    const answer = held('clock/step');
    await user.click(step());
    await answer(at(105, 125));
    await screen.findByRole('button', { name: 'Stop here' });
    unmount();
    await answer(at(110, 125));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(posted()).toHaveLength(2);
  });
});

describe('a jump that ends early', () => {
  it('is asked for again until something was seen', async () => {
    const { user } = await open();
    const answer = held('clock/jump');
    await user.click(screen.getByRole('button', { name: 'To the next event' }));
    await answer(at(500, 3_695));
    expect(await screen.findByText('0:08:20 of 1:01:35')).toBeInTheDocument();
    await answer(at(700, null));
    await waitFor(() => {
      expect(step()).toBeEnabled();
    });
    expect(posted()).toEqual([
      ['/clock/jump', {}],
      ['/clock/jump', {}],
    ]);
  });
});

describe('a deed in a simulation that is not there yet', () => {
  it('is asked for again until it is, and says how far that is', async () => {
    const { user } = await open();
    const answer = held('check');
    await user.click(screen.getByRole('button', { name: 'Check' }));
    await answer({
      ...problem(503, 'sandbox-restoring', 'The run is being restored.', { parameters: { percent: 40 } }),
      headers: { 'Retry-After': '0' },
    });
    expect(await screen.findByText('The simulation is made anew from its log: 40 %')).toBeInTheDocument();
    await answer({ body: trainingSession() });
    await waitFor(() => {
      expect(screen.getByRole('button', { name: 'Check' })).toBeEnabled();
    });
    expect(screen.queryByText(/made anew/)).not.toBeInTheDocument();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
    expect(posted()).toHaveLength(2);
  });
});
