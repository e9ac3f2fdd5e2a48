import { describe, expect, it } from 'vitest';

import { tableOf } from '../tables';
import { closedKind, conversationCounts } from './conversations';
import { reader, type GridRow } from './rows';
import { compact, happenings } from './timeline';
import { depths, reasons } from './transmission-groups';
import { rateOf, trendMilliseconds, trendOf, withSample, type Sample } from './trend';

describe('what a closed conversation waits for', () => {
  const names = ['state', 'ends_at', 'security_timestamp', 'lifetime'];
  const read = reader(names.map((name, at) => ({ id: name, name, type: 'datetime', isVendors: true, at })));
  const kind = (...cells: unknown[]) => closedKind({ key: '', instance: '', cells } satisfies GridRow, read, 1000);
  const none = -2_208_988_800;

  it('is by design while its guard runs, overdue behind it, a leak without one', () => {
    expect(kind('CD', 1500, 1500, 9e9)).toBe('retained');
    expect(kind('CD', 900, 900, 9e9)).toBe('overdue');
    expect(kind('CD', 9e9, none, 9e9)).toBe('leaked');
    expect(kind('CO', 9e9, none, 9e9)).toBeNull();
  });

  it('is counted by the sums of the engine, of one database or of all', () => {
    const facts = {
      PARIS: {
        sums: [
          { database: 'A', by_state: { CD: 5, CO: 1 }, closed: { retained: 3, overdue: 0, leaked: 2 } },
          { database: 'B', by_state: { CO: 4 }, closed: {} },
        ],
      },
      LYON: { sums: [{ database: 'A', by_state: { CD: 1 }, closed: { retained: 1, overdue: 0, leaked: 0 } }] },
    };
    expect(conversationCounts(facts, null).of('retained')).toBe(4);
    expect(conversationCounts(facts, null).of('CO')).toBe(5);
    expect(conversationCounts(facts, 'B').of('leaked')).toBe(0);
    expect(conversationCounts({ PARIS: { unavailable: { reason: '', since: null } } }, null).of('CO')).toBeNull();
  });
});

describe('the timeline of a conversation', () => {
  const column = (name: string) => ({ name, type: 'json', nullable: true, is_vendors: name !== 'instance_name' });
  const event = (instance: string, what: string, at: number, handle: string, number?: number) => [
    instance,
    what,
    { StartTime: at, ObjectName: handle, DatabaseName: 'D', ...(number === undefined ? {} : { BigintData1: number }) },
  ];
  const table = tableOf({
    columns: ['instance_name', 'EventSubClassName', 'columns'].map(column),
    keys: ['1', '2', '3', '4', '5'],
    rows: [
      event('LYON', 'Received', 3, 't', 0),
      event('PARIS', 'BEGIN DIALOG', 1, 'i'),
      event('PARIS', 'SEND Message', 2, 'i', 0),
      event('PARIS', 'SEND Message', 2.5, 'i', 1),
      event('PARIS', 'SEND Message', 2.7, 'other', 9),
    ],
    facts: {},
  });

  it('has both sides in the order of time, neighbours of a kind as one, and nothing of others', () => {
    const steps = compact(happenings(table, new Set(['i', 't'])));
    expect(steps.map(({ what, count, instance }) => [instance, what, count])).toEqual([
      ['PARIS', 'BEGIN DIALOG', 1],
      ['PARIS', 'SEND Message', 2],
      ['LYON', 'Received', 1],
    ]);
    expect(steps[1]).toMatchObject({ from: 2, to: 2.5, numbers: { first: 0, last: 1 } });
    expect(steps[0]?.numbers).toBeNull();
  });

  it('has each event, with what was told of it', () => {
    const each = happenings(table, new Set(['i', 't']));
    expect(each.map(({ what, numbers }) => [what, numbers?.first])).toEqual([
      ['BEGIN DIALOG', undefined],
      ['SEND Message', 0],
      ['SEND Message', 1],
      ['Received', 0],
    ]);
    expect(each[2]?.told).toEqual({ StartTime: 2.5, ObjectName: 'i', DatabaseName: 'D', BigintData1: 1 });
  });
});

describe('what waits', () => {
  const source = (instance: string) => ({ instance, state: 'known' as const, reason: '', number: null, since: null });
  const group = (database: string, number: number | null, messages: number, oldest: number, text = '') => ({
    database,
    number,
    messages,
    conversations: 1,
    oldest,
    text,
  });
  const facts = {
    PARIS: { groups: [group('A', 9754, 5, 100, 'refused'), group('A', null, 2, 50)] },
    LYON: { groups: [group('B', 9754, 7, 90, 'older')] },
  };
  const sources = [source('PARIS'), source('LYON'), source('HUB')];

  it('is summed by database, held up apart from all', () => {
    expect(
      depths(facts, sources, null).map(({ key, messages, blocked, oldest }) => [key, messages, blocked, oldest]),
    ).toEqual([
      ['LYON · B', 7, 7, 90],
      ['PARIS · A', 7, 5, 50],
    ]);
  });

  it('is summed by reason, with the words of one that waits longest', () => {
    expect(reasons(facts, sources, null)[0]).toMatchObject({
      number: 9754,
      messages: 12,
      conversations: 2,
      oldest: 90,
      text: 'older',
      places: ['PARIS · A', 'LYON · B'],
    });
    expect(reasons(facts, sources, 'A').map(({ number, messages }) => [number, messages])).toEqual([
      [9754, 5],
      [null, 2],
    ]);
  });
});

describe('a trend', () => {
  const sample = (seconds: number, depth: number): Sample => ({ at: seconds * 1000, figures: { q: depth } });

  it('is told from what was seen, and not from one look', () => {
    expect(trendOf([sample(0, 4)], 'q')).toBeNull();
    expect(trendOf([sample(0, 4), sample(10, 9)], 'q')).toEqual({ change: 5, seconds: 10 });
    expect(trendOf([{ at: 0, figures: {} }, sample(5, 9), sample(10, 3)], 'q')).toEqual({ change: -6, seconds: 5 });
  });

  it('looks back a minute and no further', () => {
    const samples = Array.from({ length: 200 }, (_, second) => sample(second, second)).reduce<Sample[]>(
      (kept, each) => withSample(kept, each),
      [],
    );
    expect(samples.length).toBeLessThanOrEqual(trendMilliseconds / 1000 + 2);
    expect(trendOf(samples, 'q')).toEqual({ change: 61, seconds: 61 });
  });
});

describe('a rate', () => {
  const samples = [0, 100, 300, 600].map((sent, second): Sample => ({ at: second * 1000, figures: { sent } }));

  it('is what came a second in the last seconds', () => {
    expect(rateOf(samples, 'sent', 10)).toBe(200);
    expect(rateOf(samples, 'sent', 1)).toBe(300);
  });

  it('is not known of what was seen once, never, or has begun anew', () => {
    expect(rateOf(samples.slice(0, 1), 'sent', 10)).toBeNull();
    expect(rateOf(samples, 'received', 10)).toBeNull();
    expect(rateOf([...samples, { at: 4000, figures: { sent: 5 } }], 'sent', 10)).toBeNull();
  });
});
