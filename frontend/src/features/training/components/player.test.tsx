import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { TrainingSession } from '@/contracts/api';
import { render } from '@/testing/render';
import { problem, testServer } from '@/testing/server';
import { fault, grading, run, runId, runPath, trainingSession } from '@/testing/training';

import { Player } from './player';

const server = testServer();

/** A session of the console that nobody answers. */
class SilentSocket {
  send(): void {
    return undefined;
  }
  close(): void {
    return undefined;
  }
}

beforeEach(() => {
  vi.stubGlobal('WebSocket', SilentSocket);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

async function open(session: TrainingSession = trainingSession()) {
  server.on('GET', runPath, () => ({ body: session }));
  render(<Player id={runId} map={<p>The drawing</p>} />, { isRouted: true });
  await screen.findByRole('heading', { level: 1, name: session.title });
  return userEvent.setup();
}

describe('the desk of a run', () => {
  it('has the brief, the map and the tasks', async () => {
    await open();
    expect(screen.getByText('Lyon has opened its warehouse.')).toBeInTheDocument();
    expect(
      within(screen.getByRole('region', { name: 'Map of the simulation' })).getByText('The drawing'),
    ).toBeVisible();
    const tasks = screen.getByRole('list', { name: 'Tasks' });
    const [first, second] = [...tasks.children];
    expect(first).toHaveAttribute('data-done', 'false');
    expect(second).toHaveAttribute('data-done', 'true');
  });

  it('says what each check has found, and says no sentence twice', async () => {
    await open();
    expect(screen.getAllByText(/Nothing has arrived\./)).toHaveLength(1);
    expect(screen.getByText('The way back works.')).toBeInTheDocument();
    expect(screen.getByText('Done. The answer is there.')).toBeInTheDocument();
    expect(screen.getByText('0 of 60 points')).toBeInTheDocument();
  });

  it('names what is broken elsewhere and what that costs', async () => {
    await open(
      trainingSession({ grading: { ...grading, collateral_cost: 20, collateral: ['Stock no longer answers.'] } }),
    );
    expect(screen.getByText('Broken elsewhere, which costs 20 %')).toBeInTheDocument();
    expect(screen.getByText('Stock no longer answers.')).toBeInTheDocument();
  });

  it('of somebody else is for looking: no script, no hint, no fault', async () => {
    await open(trainingSession({ is_own: false, faults: [{ fault: fault('instance', 'LYON'), is_own: true }] }));
    expect(screen.queryByRole('region', { name: 'T-SQL' })).not.toBeInTheDocument();
    expect(screen.getByText('LYON is down')).toBeInTheDocument();
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });
});

describe('a run of another engine', () => {
  it('says that it may differ from what was seen', async () => {
    const notice = { number: 3169, text: 'Another version began it.', why: '', cure: 'Go on, or begin anew.' };
    await open(trainingSession({ run: run({ notice }) }));
    expect(screen.getByRole('note')).toHaveTextContent('3169 · Another version began it.Go on, or begin anew.');
  });
});

describe('a run that is being restored', () => {
  it('is asked for until it is there, and says how far it is', async () => {
    const percents = [20, 60];
    const told: (() => void)[] = [];
    server.on('GET', runPath, async () => {
      const percent = percents.shift();
      if (percent === undefined) {
        await new Promise<void>((resolve) => told.push(resolve));
        return { body: trainingSession() };
      }
      return {
        ...problem(503, 'sandbox-restoring', 'The run is being restored.', { parameters: { percent } }),
        headers: { 'Retry-After': '0' },
      };
    });
    render(<Player id={runId} map={<p>The drawing</p>} />, { isRouted: true });
    expect(await screen.findByText('The simulation is made anew from its log: 60 %')).toBeInTheDocument();
    expect(screen.getByRole('progressbar', { name: 'Restoring the simulation' })).toHaveAttribute(
      'aria-valuenow',
      '60',
    );
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
    await waitFor(() => {
      expect(told).toHaveLength(1);
    });
    told[0]?.();
    expect(await screen.findByText('The drawing')).toBeInTheDocument();
    expect(screen.queryByText(/made anew/)).not.toBeInTheDocument();
  });
});

describe('the ladder of hints', () => {
  it('tells what the next one costs before it is taken, and shows those that were', async () => {
    const user = await open();
    const taken = trainingSession({
      hints: [{ text: 'Look at sys.routes of Ventes.', lesson: { id: 'routes', title: 'Routes' }, cost: 10 }],
      next_hint_cost: 20,
    });
    server.on('POST', `${runPath}/hint`, () => ({ body: taken }));
    await user.click(screen.getByRole('button', { name: 'Hint 1 (costs 10 %)' }));
    expect(await screen.findByText('Look at sys.routes of Ventes.')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Hint 2 (costs 20 %)' })).toBeInTheDocument();
  });

  it('is at its end when all are taken', async () => {
    await open(
      trainingSession({
        hints_total: 1,
        hints: [{ text: 'The last.', lesson: { id: 'routes', title: 'Routes' }, cost: 10 }],
      }),
    );
    expect(screen.getByText('The last.')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /^Hint/ })).not.toBeInTheDocument();
  });

  it('is not there in an examination', async () => {
    await open(trainingSession({ hints_total: 0, grading: null }));
    expect(screen.getByText('An exam has no hints.')).toBeInTheDocument();
    expect(screen.getByText('An exam tells how the tasks stand when it has ended.')).toBeInTheDocument();
  });
});

describe('faults', () => {
  it('are begun by name, and one’s own are mended; those of the scenario are not', async () => {
    const user = await open(trainingSession({ faults: [{ fault: fault('endpoint', 'PARIS'), is_own: false }] }));
    const down = { fault: fault('instance', 'LYON'), is_own: true };
    const broken = trainingSession({ faults: [{ fault: fault('endpoint', 'PARIS'), is_own: false }, down] });
    server.on('POST', `${runPath}/faults/begin`, () => ({ body: broken }));
    server.on('POST', `${runPath}/faults/end`, () => ({ body: trainingSession() }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'What fails' }), 'LYON is down');
    await user.click(screen.getByRole('button', { name: 'Break it' }));
    await user.click(await screen.findByRole('button', { name: 'Mend: LYON is down' }));
    await waitFor(() => {
      expect(screen.getByText('Nothing is broken by a fault.')).toBeInTheDocument();
    });
    expect(screen.queryByRole('button', { name: /Mend: The endpoint of PARIS/ })).not.toBeInTheDocument();
    const bodies = server.asked.flatMap(({ method, body }) => (method === 'POST' ? [body] : []));
    expect(bodies).toEqual([{ fault: down.fault }, { fault: down.fault }]);
  });
});
