import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import type { TrainingSession } from '@/contracts/api';
import { render } from '@/testing/render';
import { problem, testServer } from '@/testing/server';
import { clock, endedSession, grading, rules, runId, runPath, trainingSession } from '@/testing/training';

import { useRun } from '../use-run';
import { RunBar } from './run-bar';

const server = testServer();

function Bar() {
  const work = useRun(runId);
  return work.run.data === undefined ? null : <RunBar session={work.run.data} work={work} />;
}

async function open(session: TrainingSession = trainingSession()) {
  server.on('GET', runPath, () => ({ body: session }));
  render(<Bar />);
  await screen.findByRole('group', { name: 'How the run stands' });
  return userEvent.setup();
}

/** What was posted to the run, in order. */
function posted(): [string, unknown][] {
  return server.asked.flatMap(({ method, path, body }) =>
    method === 'POST' ? [[path.replace(runPath, ''), body]] : [],
  );
}

describe('the clock of a run', () => {
  it('shows the time of the simulation, and how fast it passes', async () => {
    await open(trainingSession({ clock: clock({ rate: 0 }) }));
    expect(screen.getByTestId('sandbox-time')).toHaveTextContent('0:01:35');
    expect(screen.getByRole('button', { name: '1 times as fast' })).toHaveAttribute('aria-pressed', 'false');
    expect(screen.getByRole('button', { name: 'Pause' })).toHaveAttribute('aria-pressed', 'true');
  });

  it('goes on between what the server tells, and shows what it answers to a pause', async () => {
    const user = await open(trainingSession({ clock: clock({ rate: 600 }) }));
    expect(screen.getByRole('button', { name: '600 times as fast' })).toHaveAttribute('aria-pressed', 'true');
    await waitFor(() => {
      expect(screen.getByTestId('sandbox-time')).not.toHaveTextContent('0:01:35');
    });
    const stopped = trainingSession({ clock: clock({ seconds: 100, rate: 0 }) });
    server.on('POST', `${runPath}/clock/rate`, () => ({ body: stopped }));
    server.on('GET', runPath, () => ({ body: stopped }));
    await user.click(screen.getByRole('button', { name: 'Pause' }));
    await waitFor(() => {
      expect(screen.getByTestId('sandbox-time')).toHaveTextContent('0:01:40');
    });
  });

  it('is stopped, turned faster, stepped and led to the next event; what is answered is shown', async () => {
    const user = await open();
    const later = trainingSession({ clock: clock({ seconds: 125, utc: '2026-03-02T08:02:05Z', rate: 0 }) });
    for (const deed of ['clock/rate', 'clock/step', 'clock/jump']) {
      server.on('POST', `${runPath}/${deed}`, () => ({ body: later }));
    }
    server.on('GET', runPath, () => ({ body: later }));
    await user.click(screen.getByRole('button', { name: 'Pause' }));
    await waitFor(() => {
      expect(screen.getByRole('button', { name: 'Pause' })).toHaveAttribute('aria-pressed', 'true');
    });
    await user.click(screen.getByRole('button', { name: '600 times as fast' }));
    await waitFor(() => {
      expect(screen.getByRole('button', { name: 'Step 30 s' })).toBeEnabled();
    });
    await user.click(screen.getByRole('button', { name: 'Step 30 s' }));
    await waitFor(() => {
      expect(screen.getByRole('button', { name: 'To the next event' })).toBeEnabled();
    });
    await user.click(screen.getByRole('button', { name: 'To the next event' }));
    await waitFor(() => {
      expect(posted()).toEqual([
        ['/clock/rate', { rate: 0 }],
        ['/clock/rate', { rate: 600 }],
        ['/clock/step', { seconds: 30 }],
        ['/clock/jump', {}],
      ]);
    });
    expect(screen.getByTestId('sandbox-time')).toHaveTextContent('0:02:05');
  });

  it('says that it computes while a long step is on its way, and takes nothing else', async () => {
    const user = await open();
    let answer: () => void = () => undefined;
    server.on('POST', `${runPath}/clock/step`, async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { body: trainingSession() };
    });
    await user.click(screen.getByRole('button', { name: 'Step 30 s' }));
    expect(await screen.findByText(/^The simulation is computing/, {}, { timeout: 5000 })).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Check' })).toBeDisabled();
    answer();
    await waitFor(() => {
      expect(screen.queryByText(/^The simulation is computing/)).not.toBeInTheDocument();
    });
  });

  it('cannot be stopped in an examination, which has a timer', async () => {
    await open(
      trainingSession({
        rules: { ...rules, may_stop_clock: false, ends_with_check: true, has_solution: false },
        ends_by: '2026-11-25T20:20:00Z',
        grading: null,
      }),
    );
    expect(screen.queryByRole('button', { name: 'Pause' })).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Step 30 s' })).not.toBeInTheDocument();
    expect(screen.getByRole('timer')).toHaveTextContent('0:15:00 left');
  });

  it('is for looking only in the run of somebody else', async () => {
    await open(trainingSession({ is_own: false, trainee: 'luc', clock: clock({ rate: 0 }) }));
    expect(screen.getByText('stands still')).toBeInTheDocument();
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });
});

describe('what a run takes', () => {
  it('is no word of the bar as long as the processor keeps up', async () => {
    await open(trainingSession({ clock: clock({ used_percent: 79 }) }));
    expect(screen.queryByText(/behind/)).not.toBeInTheDocument();
    expect(screen.queryByText(/events used/)).not.toBeInTheDocument();
    expect(screen.queryByRole('note')).not.toBeInTheDocument();
  });

  it('is told where the processor does not keep up, and near the end of what there is', async () => {
    await open(trainingSession({ clock: clock({ behind_seconds: 11.2, used_percent: 80 }) }));
    expect(screen.getByText('12 s behind: the processor does not keep up')).toBeInTheDocument();
    expect(screen.getByText('80 % of its events used')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Step 30 s' })).toBeEnabled();
  });

  it('is all used up: the clock stands for good, and the run can be checked and ended', async () => {
    const notice = {
      number: 10928,
      text: 'The run has used up its events.',
      why: 'Each turn counts.',
      cure: 'End the run.',
    };
    await open(trainingSession({ clock: clock({ rate: 0, used_percent: 100, is_used_up: true, notice }) }));
    const told = screen.getByRole('note');
    expect(told).toHaveTextContent('10928 · The run has used up its events.Each turn counts.End the run.');
    for (const name of ['Pause', '1 times as fast', 'Step 30 s', 'To the next event']) {
      expect(screen.getByRole('button', { name })).toBeDisabled();
    }
    expect(screen.getByRole('button', { name: 'Check' })).toBeEnabled();
    expect(screen.getByRole('button', { name: 'Finish' })).toBeEnabled();
  });
});

describe('how a run stands', () => {
  it('is its score and what was taken off it', async () => {
    await open(trainingSession({ grading: { ...grading, hints_cost: 10, collateral_cost: 5 } }));
    expect(screen.getByRole('group', { name: 'How the run stands' })).toHaveTextContent(
      '40 %hints −10 %broken elsewhere −5 %',
    );
  });

  it('is told after the end too', async () => {
    await open(endedSession());
    expect(screen.getByText('This run has ended; its simulation is gone.')).toBeInTheDocument();
    expect(screen.getByText('Best score 90 %')).toBeInTheDocument();
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });
});

describe('the end of a run', () => {
  it('is asked twice', async () => {
    const user = await open();
    server.on('POST', `${runPath}/give-up`, () => ({ body: endedSession() }));
    await user.click(screen.getByRole('button', { name: 'Give up and show' }));
    await user.click(screen.getByRole('button', { name: 'Go on' }));
    expect(posted()).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Give up and show' }));
    server.on('GET', runPath, () => ({ body: endedSession() }));
    await user.click(screen.getByRole('button', { name: 'Show the solution' }));
    expect(await screen.findByText('This run has ended; its simulation is gone.')).toBeInTheDocument();
    expect(posted()).toEqual([['/give-up', {}]]);
  });

  it('is refused with a reason', async () => {
    const user = await open();
    server.on('POST', `${runPath}/check`, () => problem(409, 'training-over', 'This run has ended.'));
    await user.click(screen.getByRole('button', { name: 'Check' }));
    expect(await screen.findByText('This run has ended.')).toBeInTheDocument();
  });
});
