// A run of an exercise as the server tells it, and what becomes of it.
import type { TrainingCard, TrainingClock, TrainingFault, TrainingSession } from '@/contracts/api';

export const runId = '01234567-89ab-cdef-0123-456789abcdef';
export const runPath = `/api/v1/training/sessions/${runId}`;

export function card(more: Partial<TrainingCard> = {}): TrainingCard {
  return {
    id: 'first-route',
    level: 'beginner',
    skills: ['routes'],
    minutes: 15,
    title: 'The first route',
    brief: 'Orders from Paris do not arrive in Lyon. Find them, and let them through.',
    tasks: 2,
    instances: 2,
    runs: 0,
    best_score: null,
    best_exam_score: null,
    running: null,
    after: [],
    ...more,
  };
}

export function run(more: Partial<TrainingSession['run']> = {}): TrainingSession['run'] {
  return {
    id: runId,
    scenario: 'first-route',
    mode: 'practise',
    begun_at: '2026-11-25T20:00:00Z',
    ended_at: null,
    has_given_up: false,
    hints_taken: 0,
    best_score: null,
    engine: '0.1.0+0123456789',
    notice: null,
    ...more,
  };
}

export const rules: TrainingSession['rules'] = {
  counts: true,
  ends_with_check: false,
  has_hints: true,
  has_live_checks: true,
  has_solution: true,
  hints_cost: true,
  has_time_limit: false,
  may_stop_clock: true,
};

export const grading: NonNullable<TrainingSession['grading']> = {
  score: 40,
  achieved: 40,
  hints_cost: 0,
  collateral_cost: 0,
  is_complete: false,
  sentence: '1 of 2 tasks is done.',
  collateral: [],
};

export function fault(kind: TrainingFault['fault']['kind'], instance: string): TrainingFault['fault'] {
  return { kind, instance, other: null, database: null, queue: null };
}

/** A clock that goes as fast as the wall's, with nothing to say. */
export function clock(more: Partial<TrainingClock> = {}): TrainingClock {
  return {
    seconds: 95,
    utc: '2026-03-02T08:01:35Z',
    rate: 1,
    behind_seconds: 0,
    goal_seconds: null,
    used_percent: 1,
    is_used_up: false,
    notice: null,
    ...more,
  };
}

/** A practised run in which one of two tasks is done. */
export function trainingSession(more: Partial<TrainingSession> = {}): TrainingSession {
  return {
    run: run(),
    trainee: 'tester',
    is_own: true,
    estate: `~${runId.replaceAll('-', '')}`,
    title: 'The first route',
    brief: 'Lyon has opened its warehouse.',
    level: 'beginner',
    minutes: 15,
    ends_by: null,
    now: '2026-11-25T20:05:00Z',
    rules,
    clock: clock(),
    servers: [
      { name: 'PARIS', runs: true, databases: ['master', 'msdb', 'Ventes'] },
      { name: 'LYON', runs: true, databases: ['master', 'msdb', 'Entrepôt'] },
    ],
    faults: [],
    tasks: [
      {
        id: 'arrives',
        title: 'A new order arrives in Lyon',
        points_max: 60,
        points: 0,
        is_done: false,
        sentence: 'Not yet. Nothing has arrived. The queue is off.',
        checks: [
          { holds: false, is_kept: false, found: 'Nothing has arrived.' },
          { holds: true, is_kept: true, found: 'The way back works.' },
        ],
      },
      {
        id: 'back',
        title: 'Lyon answers',
        points_max: 40,
        points: 40,
        is_done: true,
        sentence: 'Done. The answer is there.',
        checks: [{ holds: true, is_kept: false, found: 'The answer is there.' }],
      },
    ],
    grading,
    hints: [],
    hints_total: 3,
    next_hint_cost: 10,
    end: null,
    ...more,
  };
}

export const end: NonNullable<TrainingSession['end']> = {
  explanation: 'No route of Ventes named the service.',
  solution: [
    {
      instance: 'PARIS',
      database: 'Ventes',
      sql: "CREATE ROUTE [R] WITH ADDRESS = N'TCP://lyon:4022';\n",
      wait_seconds: null,
    },
    { instance: null, database: null, sql: null, wait_seconds: 60 },
  ],
  lessons: [],
  wrong_turns: [{ text: 'A route in msdb is not read by who sends.', steps: [] }],
};

/** How it stands after the end. */
export function endedSession(more: Partial<TrainingSession> = {}): TrainingSession {
  return trainingSession({
    run: run({ ended_at: '2026-11-25T20:15:00Z', best_score: 90 }),
    estate: null,
    clock: null,
    servers: [],
    grading: { ...grading, score: 90, hints_cost: 10, sentence: '2 of 2 tasks are done.' },
    end,
    ...more,
  });
}
