import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import type { TrainingSession } from '@/contracts/api';
import { render } from '@/testing/render';
import { testServer } from '@/testing/server';
import { clock, end, endedSession, fault, grading, run, runPath } from '@/testing/training';

import { Report } from './report';

const server = testServer();

function open(session: TrainingSession = endedSession()) {
  render(<Report session={session} end={end} />);
  return userEvent.setup();
}

const scene = { sequence: 5, instance: '', database: '', script: '', errors: [], fault: null, rate: null };

describe('the report of a run', () => {
  it('tells the score, the explanation, the solution and wrong turns', () => {
    open();
    expect(screen.getByText('90 %').parentElement).toHaveTextContent('90 % 2 of 2 tasks are done.');
    expect(screen.getByText('Hints cost 10 %.')).toBeInTheDocument();
    expect(screen.getByText('No route of Ventes named the service.')).toBeInTheDocument();
    expect(screen.getByText('PARIS · Ventes')).toBeInTheDocument();
    expect(screen.getByText("CREATE ROUTE [R] WITH ADDRESS = N'TCP://lyon:4022';")).toBeInTheDocument();
    expect(screen.getByText('Wait 60 s.')).toBeInTheDocument();
    expect(screen.getByText('A route in msdb is not read by who sends.')).toBeInTheDocument();
  });

  it('says that who gave up earns nothing', () => {
    open(endedSession({ run: run({ ended_at: '2026-11-25T20:15:00Z', has_given_up: true }) }));
    expect(screen.getByText('You gave up: the run earns nothing.')).toBeInTheDocument();
  });
});

describe('the replay', () => {
  it('goes from deed to deed, and shows how the run stood at each', async () => {
    server.on('GET', `${runPath}/replay`, () => ({
      body: {
        run: run({ notice: { number: 3169, text: 'Another version began it.', why: '', cure: '' } }),
        begun_seconds: 60,
        ended_seconds: 300,
        scenes: [
          { ...scene, kind: 'fault-begun', seconds: 90, fault: fault('instance', 'LYON') },
          { ...scene, kind: 'clock', seconds: 95, rate: 60 },
          {
            ...scene,
            kind: 'script',
            seconds: 120,
            instance: 'PARIS',
            database: 'Ventes',
            script: 'SELECT 1;',
            errors: [208],
          },
        ],
      },
    }));
    server.on('GET', `${runPath}/replay/moment`, ({ query }) => {
      const seconds = Number(query.get('seconds'));
      return {
        body: {
          clock: clock({ seconds, rate: 0 }),
          servers: [],
          faults: [],
          tasks: endedSession().tasks,
          grading: { ...grading, score: seconds < 120 ? 0 : 100, sentence: '' },
        },
      };
    });
    const user = open();
    await user.click(screen.getByRole('button', { name: 'Play the run again' }));
    const replay = within(await screen.findByRole('region', { name: 'The run once more' }));
    expect(await replay.findByText('0 %')).toBeInTheDocument();
    expect(replay.getByText('0:01:00')).toBeInTheDocument();
    expect(replay.getByRole('note')).toHaveTextContent('3169 · Another version began it.');
    // A turn of the clock is nothing to stop at.
    const deeds = replay.getByRole('list', { name: 'What was done' });
    expect(deeds.children).toHaveLength(2);
    expect(within(deeds).getByText('LYON: a fault begins')).toBeInTheDocument();
    expect(within(deeds).getByText('Errors: 208')).toBeInTheDocument();
    await user.click(replay.getByRole('button', { name: 'Next' }));
    expect(deeds.children[0]).toHaveAttribute('data-past', 'true');
    expect(deeds.children[1]).toHaveAttribute('data-past', 'false');
    await user.click(replay.getByRole('button', { name: 'Next' }));
    await waitFor(() => {
      expect(replay.getByRole('status')).toHaveTextContent('100 %');
    });
    await user.click(replay.getByRole('button', { name: 'Back' }));
    await waitFor(() => {
      expect(replay.getByRole('status')).toHaveTextContent(/^0 %/);
    });
  });
});
