import { describe, expect, it } from 'vitest';

import { databaseSummary, instanceSummary } from '@/testing/summaries';

import type { Source } from '../grid/sources';
import type { DatabaseSummary, InstanceSummary } from '../summary';
import { ageBand, figuresOf } from './figures';
import { ladder, type JudgedRung } from './ladder';
import { rungNames, type RungName } from './rungs';

const around = { now: 10_000, hasOthers: true };

function source(instance: string, more: Partial<Source> = {}): Source {
  return { instance, state: 'known', reason: '', number: null, since: null, ...more };
}

const silent = { state: 'not-connected', reason: 'no answer', since: 5_000 } as const;

function judged(summary: InstanceSummary, circumstances = around) {
  return ladder([summary], [source(summary.name)], circumstances);
}

function rung(name: RungName, { rungs }: { rungs: readonly JudgedRung[] }): JudgedRung {
  const found = rungs.find((one) => one.name === name);
  if (found === undefined) {
    throw new Error(`no rung ${name}`);
  }
  return found;
}

const withDatabase = (more: Partial<DatabaseSummary>) => instanceSummary('PARIS', [databaseSummary('Ventes', more)]);
const withInstance = (more: Partial<InstanceSummary>) => instanceSummary('PARIS', [databaseSummary('Ventes')], more);
const mirror = (state: 'UNKNOWN' | 'KNOWN(A)' | 'KNOWN(M)' | 'SEARCHING', areBoth = false) => ({
  route: 'VersStock',
  service: '//Stock',
  state,
  principal: null,
  are_both_principal: areBoth,
});
const noCounts = { dropped: 0, corrupted: 0, forwards_dropped: 0, rollbacks: 0, activation_errors: 0 };
const conversations = (
  total: number,
  by_state: DatabaseSummary['conversations']['by_state'],
  closed: DatabaseSummary['conversations']['closed'] = {},
) => ({ total, by_state, closed });

describe('an instance without trouble', () => {
  it('is good on every rung, in the order of the checks', () => {
    const { rungs, begin } = judged(
      withInstance({ connections: { LOGGED_IN: 2, CLOSED: 1 }, mirrors: [mirror('KNOWN(M)')] }),
    );
    expect(rungs.map(({ name }) => name)).toEqual(rungNames);
    expect(rungs.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
    expect(begin).toBeNull();
  });
});

type Case = [
  what: string,
  name: RungName,
  verdict: 'ok' | 'warning' | 'bad',
  kinds: string[],
  count: number,
  summary: InstanceSummary,
];

const cases: Case[] = [
  [
    'a broker that is off',
    'broker',
    'bad',
    ['broker-off'],
    1,
    withDatabase({ is_broker_enabled: false, number: 28013 }),
  ],
  [
    'master, whose broker is never on',
    'broker',
    'ok',
    [],
    0,
    instanceSummary('PARIS', [databaseSummary('master', { is_broker_enabled: false, number: 28013 })]),
  ],
  [
    'msdb, through which what arrives goes',
    'broker',
    'bad',
    ['broker-off'],
    1,
    instanceSummary('PARIS', [databaseSummary('msdb', { is_broker_enabled: false })]),
  ],
  ['a database off-line', 'databases', 'bad', ['database-out'], 1, withDatabase({ state: 'offline', number: 942 })],
  ['a mirror copy', 'databases', 'ok', [], 0, withDatabase({ state: 'mirror', number: 954 })],
  [
    'a database whose broker is off, told above',
    'databases',
    'ok',
    [],
    0,
    withDatabase({ is_broker_enabled: false, number: 28013 }),
  ],
  [
    'an endpoint that is stopped',
    'endpoint',
    'bad',
    ['endpoint-off'],
    1,
    withInstance({ endpoint_state: 'STOPPED', listening_port: null }),
  ],
  [
    'an endpoint that nothing listens for',
    'endpoint',
    'bad',
    ['deaf'],
    1,
    withInstance({ listening_port: null, listening_error: 'address in use' }),
  ],
  [
    'no endpoint',
    'endpoint',
    'warning',
    ['no-endpoint'],
    1,
    withInstance({ endpoint_state: null, listening_port: null }),
  ],
  [
    'addresses that fail',
    'addresses',
    'bad',
    ['address', 'address'],
    2,
    withInstance({ failing_connections: ['TCP://a:1', 'TCP://b:1'] }),
  ],
  [
    'a handshake under way',
    'logins',
    'warning',
    ['login'],
    3,
    withInstance({ connections: { NEW: 1, CONNECTING: 1, CONNECTED: 1, LOGGED_IN: 4, CLOSED: 2 } }),
  ],
  [
    'a mirrored route that seeks its principal',
    'mirrors',
    'bad',
    ['searching'],
    1,
    withInstance({ mirrors: [mirror('SEARCHING'), mirror('KNOWN(A)')] }),
  ],
  ['two principals', 'mirrors', 'bad', ['both-principal'], 1, withInstance({ mirrors: [mirror('KNOWN(A)', true)] })],
  [
    'messages with a numbered reason',
    'transmission',
    'bad',
    ['blocked'],
    5,
    withDatabase({ transmission: 7, blocked: 5, oldest: 1 }),
  ],
  [
    'messages that nobody acknowledges for a minute',
    'transmission',
    'warning',
    ['unacknowledged'],
    7,
    withDatabase({ transmission: 7, oldest: 9_940 }),
  ],
  ['messages that were sent just now', 'transmission', 'ok', [], 0, withDatabase({ transmission: 7, oldest: 9_941 })],
  [
    'what was dropped',
    'dropped',
    'warning',
    ['forwards-dropped', 'dropped', 'corrupted'],
    6,
    withInstance({ counts: { ...noCounts, dropped: 2, corrupted: 1, forwards_dropped: 3 } }),
  ],
  [
    'conversations in error',
    'errors',
    'bad',
    ['error'],
    2,
    withDatabase({ conversations: conversations(3, { ER: 2, CO: 1 }) }),
  ],
  [
    'closed ones that guard against copies',
    'closed',
    'ok',
    [],
    0,
    withDatabase({ conversations: conversations(9, { CD: 9 }, { retained: 9, overdue: 0, leaked: 0 }) }),
  ],
  [
    'closed ones that nobody cleans up',
    'closed',
    'warning',
    ['leaked', 'overdue'],
    12,
    withDatabase({ conversations: conversations(12, { CD: 12 }, { overdue: 2, leaked: 10 }) }),
  ],
  [
    'queues that are off',
    'queues',
    'bad',
    ['poisoned', 'disabled'],
    2,
    withDatabase({ disabled_queues: ['dbo.A', 'dbo.B'], poisoned_queues: ['dbo.A'] }),
  ],
  [
    'a queue that may have no further reader',
    'readers',
    'warning',
    ['busy'],
    1,
    withDatabase({ readers: 2, busy_queues: ['dbo.A'] }),
  ],
  [
    'readers that failed',
    'activation',
    'warning',
    ['rollback', 'activation-error'],
    5,
    withInstance({ counts: { ...noCounts, rollbacks: 4, activation_errors: 1 } }),
  ],
];

describe('each check', () => {
  it.each(cases)('judges %s', (_, name, verdict, kinds, count, summary) => {
    const found = rung(name, judged(summary));
    expect([found.verdict, found.count, found.troubles.map(({ kind }) => kind)]).toEqual([verdict, count, kinds]);
    expect(found.troubles.every(({ instance, since }) => instance === 'PARIS' && since === null)).toBe(true);
  });

  it('asks for no endpoint of an instance that is alone', () => {
    const alone = withInstance({ endpoint_state: null, listening_port: null });
    expect(rung('endpoint', judged(alone, { ...around, hasOthers: false })).verdict).toBe('ok');
  });

  it('names queue and database, so that the rows can be found', () => {
    const [found] = rung('queues', judged(withDatabase({ disabled_queues: ['dbo.A'] }))).troubles;
    expect(found).toMatchObject({ instance: 'PARIS', database: 'Ventes', object: 'dbo.A' });
  });
});

describe('the ladder as a whole', () => {
  it('begins at the highest rung that is not good', () => {
    expect(
      judged(
        instanceSummary('PARIS', [databaseSummary('Ventes', { disabled_queues: ['dbo.A'] })], {
          endpoint_state: 'STOPPED',
        }),
      ).begin,
    ).toBe('endpoint');
  });

  it('puts the gravest and largest first', () => {
    const quiet = instanceSummary('PARIS', [
      databaseSummary('A', { transmission: 9, oldest: 0 }),
      databaseSummary('B', { transmission: 1, blocked: 1 }),
      databaseSummary('C', { transmission: 4, blocked: 4 }),
    ]);
    expect(rung('transmission', judged(quiet)).troubles.map(({ database }) => database)).toEqual(['C', 'B', 'A']);
  });

  it('is good nowhere while an instance is silent, whatever it said last', () => {
    const told = ladder(
      [withDatabase({}), instanceSummary('LYON', [])],
      [source('PARIS'), source('LYON', silent)],
      around,
    );
    expect(told.rungs.map(({ verdict }) => verdict)).toEqual(rungNames.map(() => 'unknown'));
    expect(told.begin).toBe('broker');
    expect(told.rungs[0]?.unknown.map(({ instance }) => instance)).toEqual(['LYON']);
  });

  it('tells trouble that was before the silence as old, and judges by what is so now', () => {
    const before = instanceSummary('LYON', [databaseSummary('Stock', { disabled_queues: ['dbo.A'] })]);
    const old = rung('queues', ladder([before], [source('LYON', silent)], around));
    expect([old.verdict, old.count, old.troubles[0]?.since]).toEqual(['unknown', 0, 5_000]);
    const both = rung(
      'queues',
      ladder([before, withDatabase({ disabled_queues: ['dbo.B'] })], [source('LYON', silent), source('PARIS')], around),
    );
    expect([both.verdict, both.count]).toEqual(['bad', 1]);
    expect(both.troubles.map(({ object }) => object)).toEqual(['dbo.B', 'dbo.A']);
  });

  it('counts what was looked at only where it is so now', () => {
    const told = ladder(
      [withDatabase({}), instanceSummary('LYON', [databaseSummary('Stock')])],
      [source('PARIS'), source('LYON', silent)],
      around,
    );
    expect(rung('broker', told).looked).toBe(1);
  });

  it.each([
    ['never answered', { state: 'unknown', reason: 'no worker' }, 'unknown'],
    ['has not answered yet', { state: 'waiting' }, 'unknown'],
    ['refuses', { state: 'refused', number: 10744 }, 'unknown'],
    ['nobody may see', { state: 'not-allowed', number: 4403 }, 'not-allowed'],
  ] as const)('says what it knows of an instance that %s', (_, state, verdict) => {
    const told = ladder([], [source('PARIS', state)], around);
    expect(new Set(told.rungs.map((one) => one.verdict))).toEqual(new Set([verdict]));
  });

  it('holds nothing for good that stands below an unknown rung', () => {
    // The first answer of LYON is known as a fact only: its row has not come.
    const told = ladder([withDatabase({ disabled_queues: ['dbo.A'] })], [source('PARIS'), source('LYON')], around);
    expect(told.rungs.filter(({ verdict }) => verdict === 'ok')).toEqual([]);
    expect(rung('queues', told).verdict).toBe('bad');
  });

  it('leaves out an instance that the estate has no more, and says nothing of an estate without any', () => {
    expect(
      rung('broker', ladder([withDatabase({})], [source('PARIS'), source('GONE', { state: 'missing' })], around))
        .verdict,
    ).toBe('ok');
    expect(rung('broker', ladder([], [], around)).verdict).toBe('unknown');
  });
});

describe('the figures', () => {
  it('puts what waits into the band of the oldest of its database', () => {
    const one = instanceSummary('PARIS', [
      databaseSummary('A', { transmission: 3, oldest: 9_941 }),
      databaseSummary('B', { transmission: 5, oldest: 9_940 }),
      databaseSummary('C', { transmission: 7, oldest: 1_000 }),
    ]);
    const { figures } = figuresOf([one], [source('PARIS')], 10_000);
    expect(figures).toMatchObject({ undelivered: 15, byAge: { minute: 3, minutes: 5, hour: 0, longer: 7 } });
    expect([0, 59, 60, 599, 600, 3599, 3600].map(ageBand)).toEqual([
      'minute',
      'minute',
      'minutes',
      'minutes',
      'hour',
      'hour',
      'longer',
    ]);
  });

  it('counts mirrors, closed conversations and queues', () => {
    const one = instanceSummary(
      'PARIS',
      [
        databaseSummary('A', {
          disabled_queues: ['x', 'y'],
          poisoned_queues: ['x'],
          conversations: conversations(6, {}, { overdue: 4, leaked: 2 }),
        }),
      ],
      { mirrors: [mirror('KNOWN(A)'), mirror('KNOWN(A)', true), mirror('SEARCHING'), mirror('UNKNOWN')] },
    );
    expect(figuresOf([one], [source('PARIS')], 0).figures).toMatchObject({
      disabledQueues: 2,
      poisonedQueues: 1,
      overdue: 4,
      leaked: 2,
      mirrors: 4,
      mirrorsLost: 3,
    });
  });

  it('leaves out who does not answer and names them; of nobody there is no figure', () => {
    const before = instanceSummary('LYON', [databaseSummary('Stock', { disabled_queues: ['dbo.A'] })]);
    const { figures, unknown } = figuresOf([withDatabase({}), before], [source('PARIS'), source('LYON', silent)], 0);
    expect(figures?.disabledQueues).toBe(0);
    expect(unknown.map(({ instance }) => instance)).toEqual(['LYON']);
    expect(figuresOf([before], [source('LYON', silent)], 0).figures).toBeNull();
  });
});
