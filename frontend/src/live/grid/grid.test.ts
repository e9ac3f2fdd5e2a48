import { describe, expect, it } from 'vitest';

import type { TopicState } from '../streams';
import { newTopic } from '../streams';
import { tableOf } from '../tables';
import { otherHalf, paired, type PairContext } from './pairs';
import { countNew, flowing, keepPlaces, readRowsMax } from './places';
import { gridColumns, gridRows, reader, sorted, type GridRow } from './rows';
import { commonTrouble, sourcesOf, totalOf, type SourceState } from './sources';
import { plainText, tableText } from './table-text';

const row = (key: string, value = 0): GridRow => ({ key, instance: 'PARIS', cells: [value] });
const rows = (...keys: string[]) => keys.map((key) => row(key));
const keysOf = (some: readonly GridRow[]) => some.map(({ key }) => key).join('');

describe('places', () => {
  it('new rows wait when they belong above or between, and are counted', () => {
    const shown = keepPlaces(flowing(rows('a', 'b')), rows('x', 'a', 'y', 'b'));
    expect(keysOf(shown.rows)).toBe('ab');
    expect(shown.waiting).toBe(2);
  });

  it('rows that belong behind the last are appended: they move nobody', () => {
    const shown = keepPlaces(flowing(rows('a', 'b')), rows('x', 'a', 'b', 'c', 'd'));
    expect(keysOf(shown.rows)).toBe('abcd');
    expect(shown.waiting).toBe(1);
  });

  it('a row that leaves keeps its place and its last values, marked', () => {
    const first = keepPlaces(flowing([row('a', 1), row('b', 2), row('c', 3)]), [row('a', 10), row('c', 30)]);
    expect(first.rows.map(({ cells }) => cells[0])).toEqual([10, 2, 30]);
    expect([...first.left]).toEqual(['b']);
    const back = keepPlaces(first, [row('a', 10), row('b', 20), row('c', 30)]);
    expect(back.left.size).toBe(0);
    expect(back.rows[1]?.cells[0]).toBe(20);
  });

  it('when all that was shown has left, what is new waits instead of standing behind the dead', () => {
    const shown = keepPlaces(flowing(rows('a', 'b')), rows('c', 'd'));
    expect(keysOf(shown.rows)).toBe('ab');
    expect(shown).toMatchObject({ waiting: 2 });
    expect(shown.left.size).toBe(2);
  });

  it('the first rows come at once, also for who has opened a row by its address', () => {
    expect(keepPlaces(flowing([]), rows('a', 'b'))).toEqual(flowing(rows('a', 'b')));
  });

  it('does not grow for ever while somebody reads', () => {
    const many = Array.from({ length: readRowsMax + 500 }, (_, at) => row(String(at)));
    const shown = keepPlaces(flowing(many.slice(0, 10)), many);
    expect(shown.rows).toHaveLength(readRowsMax);
    expect(shown.waiting).toBe(500);
  });

  it('counts new ones, not how many more there are', () => {
    expect(countNew(rows('a', 'b', 'c'), rows('c', 'd'))).toBe(1);
  });
});

describe('rows of a topic', () => {
  const column = (name: string, type: string, isVendors: boolean) => ({
    name,
    type,
    nullable: true,
    is_vendors: isVendors,
  });
  const table = tableOf({
    columns: [
      column('instance_name', 'sysname', false),
      column('counter_name', 'nchar(128)', true),
      column('instance_name', 'nchar(128)', true),
      column('cntr_value', 'bigint', true),
    ],
    keys: ['1', '2', '3'],
    rows: [
      ['PARIS', 'b', 'Ventes', 10],
      ['LYON', 'a', null, null],
      ['PARIS', 'c', 'Ventes', 9],
    ],
    facts: {},
  });
  const columns = gridColumns(table);

  it("tells the vendor's column from ours of the same name", () => {
    const read = reader(columns);
    const [first] = gridRows(table) as [GridRow];
    expect(first.instance).toBe('PARIS');
    expect(read(first, 'instance_name')).toBe('PARIS');
    expect(read(first, 'instance_name/vendor')).toBe('Ventes');
  });

  it('keeps a row the same object while its cells are', () => {
    expect(gridRows(table)[1]).toBe(gridRows({ ...table, facts: { PARIS: {} } })[1]);
  });

  it('sorts numbers as numbers, with NULL first', () => {
    const ascending = sorted(gridRows(table), columns, { id: 'cntr_value', isDescending: false }, 'en');
    expect(keysOf(ascending)).toBe('231');
    expect(keysOf(sorted(gridRows(table), columns, { id: 'cntr_value', isDescending: true }, 'en'))).toBe('132');
  });

  it('copies whole values, whatever stands in them', () => {
    const { text, html } = tableText(
      [{ id: 'a', name: 'far_service', type: 'nvarchar(256)', isVendors: true, at: 0 }],
      [
        { key: '1', instance: '', cells: ['a\tb "c"\n<d>'] },
        { key: '2', instance: '', cells: [null] },
        { key: '3', instance: '', cells: [], half: { reason: 'gone', isInitiator: true, service: '', instance: null } },
      ],
    );
    expect(text).toBe('far_service\r\n"a\tb ""c""\n<d>"\r\nNULL');
    expect(html).toContain('<td>a\tb &quot;c&quot;\n&lt;d&gt;</td>');
    expect(html.match(/<tr>/g)).toHaveLength(3);
  });

  it('copies no formula: a name may be one', () => {
    const copied = (cell: string) =>
      tableText(
        [{ id: 'a', name: 'a', type: 'sysname', isVendors: true, at: 0 }],
        [{ key: '1', instance: '', cells: [cell] }],
      );
    for (const formula of ['=HYPERLINK("http://x")', '+1+1', '@SUM(A1)', '\u00a0=1', '-1-1']) {
      expect(copied(formula).text).toMatch(/^a\r\n"?'/);
      expect(copied(formula).html).toContain('<td>&#39;');
    }
    expect(copied('-12.5').text).toBe('a\r\n-12.5');
  });

  it("writes values as SQL Server's client shows them", () => {
    expect(plainText(1_795_465_886.5195, 'datetime')).toBe('2026-11-23 20:31:26.520');
    expect(plainText(-2_208_988_800, 'datetime')).toBe('1900-01-01 00:00:00.000');
    expect(plainText(true, 'bit')).toBe('1');
    expect(plainText({ GUID: 'x' }, 'json')).toBe('{"GUID":"x"}');
  });
});

describe('sources', () => {
  const names = ['A', 'B', 'C', 'D'];
  const wanted = { estate: 'e', topic: 'transmissions', params: {} } as const;
  const known: TopicState = {
    ...newTopic(wanted, 1),
    stream: 's',
    seq: 3,
    isCurrent: true,
    seenAt: 5000,
    table: {
      ...tableOf({ columns: [], keys: [], rows: [], facts: {} }),
      facts: {
        A: { total: 0 },
        B: { total: 7, unavailable: { reason: 'no log', since: 12 } },
        C: { unavailable: { reason: 'no log', since: null } },
        D: { refused: { number: 911, detail: 'no such database' } },
      },
    },
  };

  it('tells nothing there from not connected, unknown and refused', () => {
    expect(sourcesOf(known, names, 2000).map(({ state, since, number }) => [state, since, number])).toEqual([
      ['known', null, null],
      ['not-connected', 10_000, null],
      ['unknown', null, null],
      ['refused', null, 911],
    ]);
  });

  it('the sum is that of all who ever told, and says of whom it does not know', () => {
    expect(totalOf(known, sourcesOf(known, names, 0))).toEqual({ count: 7, unknown: ['C', 'D'] });
  });

  it('a sum that one instance cannot tell is no number', () => {
    const topic = { ...known, table: { ...known.table, facts: { A: { total: 2 }, B: { total: null } } } };
    expect(totalOf(topic, sourcesOf(topic, ['A', 'B'], 0)).count).toBeNull();
  });

  it('a lost connection makes known ones old, with the time of what is shown', () => {
    expect(sourcesOf({ ...known, isCurrent: false }, ['A'], 0)[0]).toMatchObject({ state: 'offline', since: 5000 });
  });

  it('a denied topic is not allowed, whatever was known before', () => {
    const denied = { code: 4403, reason: 'forbidden', detail: 'Your role may not.' };
    const sources = sourcesOf({ ...known, denied }, names, 0);
    expect(sources.map(({ state, since }) => [state, since])).toEqual(names.map(() => ['not-allowed', 5000]));
    expect(totalOf(known, sources)).toEqual({ count: null, unknown: names });
    expect(commonTrouble(sources)).toMatchObject({ number: 4403, reason: 'Your role may not.' });
  });

  it.each([
    [4401, 'not-allowed'],
    [4410, 'not-allowed'],
    [4426, 'refused'],
    [4404, 'refused'],
  ])('a refusal with %i is %s', (code, state) => {
    const denied = { code, reason: 'why', detail: 'why' };
    expect(sourcesOf({ ...newTopic(wanted, 1), denied }, ['A'], 0)[0]).toMatchObject({ state, since: null });
  });

  it('what befalls some instances, or each for a reason of its own, is not said once for all', () => {
    expect(commonTrouble(sourcesOf(known, names, 0))).toBeNull();
    expect(commonTrouble(sourcesOf(known, ['D', 'A'], 0))).toBeNull();
  });

  it('before the first answer nothing is known, which is not zero', () => {
    expect(sourcesOf(newTopic(wanted, 1), ['A'], 0)[0]?.state).toBe('waiting');
    expect(totalOf(undefined, sourcesOf(undefined, ['A'], 0))).toEqual({ count: null, unknown: ['A'] });
  });
});

describe('pairs', () => {
  const names = ['conversation_id', 'is_initiator', 'far_broker_instance', 'far_service', 'state'];
  const read = reader(names.map((name, at) => ({ id: name, name, type: 'text', isVendors: true, at })));
  const side = (
    key: string,
    instance: string,
    id: string,
    isInitiator: boolean,
    broker: string | null,
    state = 'CO',
  ): GridRow => ({
    key,
    instance,
    cells: [id, isInitiator ? 1 : 0, broker, 'far', state],
  });
  const source = (instance: string, state: SourceState) => ({
    instance,
    state,
    reason: '',
    number: null,
    since: null,
  });
  const context: PairContext = {
    instancesOf: (id) => ({ 'b-lyon': ['LYON'], 'b-paris': ['PARIS'], 'b-pair': ['LYON', 'PARIS'] })[id] ?? [],
    sources: [source('PARIS', 'known'), source('LYON', 'known')],
    isComplete: true,
  };

  it('both sides stand together, the initiator first', () => {
    const given = [
      side('t1', 'LYON', '1', false, 'B-PARIS'),
      side('i2', 'PARIS', '2', true, 'B-LYON'),
      side('t2', 'LYON', '2', false, 'B-PARIS'),
      side('i1', 'PARIS', '1', true, 'B-LYON'),
    ];
    expect(paired(given, read, context).map(({ key }) => key)).toEqual(['i1', 't1', 'i2', 't2']);
  });

  it('conversations that are over stand behind those that go on', () => {
    const given = [
      side('over', 'LYON', '1', false, 'B-PARIS', 'CD'),
      side('ending', 'LYON', '2', false, 'B-PARIS', 'CD'),
      side('i2', 'PARIS', '2', true, 'B-LYON', 'DO'),
    ];
    expect(paired(given, read, context).map(({ key }) => key)).toEqual(['i2', 'ending', 'over']);
  });

  it('a side whose instance does not answer is unknown, not gone', () => {
    const deaf = { ...context, sources: [source('PARIS', 'known'), source('LYON', 'not-connected')] };
    const [initiator, target] = paired([side('i', 'PARIS', '1', true, 'B-LYON')], read, deaf);
    expect(initiator?.key).toBe('i');
    expect(target?.half).toMatchObject({ reason: 'unknown', instance: 'LYON', isInitiator: false });
  });

  it('of a mirrored side both halves are asked', () => {
    const row = side('i', 'HUB', '1', true, 'B-PAIR');
    const half = (lyon: SourceState, paris: SourceState) =>
      otherHalf(row, read, { ...context, sources: [source('LYON', lyon), source('PARIS', paris)] });
    expect(half('known', 'not-connected')).toMatchObject({ reason: 'unknown', instance: 'PARIS' });
    expect(half('not-connected', 'known')).toMatchObject({ reason: 'unknown', instance: 'LYON' });
    expect(half('known', 'known')).toMatchObject({ reason: 'gone', instance: 'LYON / PARIS' });
    // Of one that is filtered out nobody knows.
    expect(otherHalf(row, read, { ...context, sources: [source('LYON', 'known')] })).toBeNull();
  });

  it.each(['not-allowed', 'refused'] as const)('a page that is %s does not say that instances are silent', (state) => {
    const row = side('i', 'PARIS', '1', true, 'B-LYON');
    const given = { ...context, isComplete: false, sources: [source('LYON', state)] };
    expect(otherHalf(row, read, given)).toBeNull();
  });

  it('a browser that is cut off claims nothing of instances, and moves no row', () => {
    const given = [side('i', 'PARIS', '1', true, 'B-LYON'), side('t', 'LYON', '2', false, 'B-PARIS', 'CD')];
    const cutOff = { ...context, isComplete: false, sources: [source('PARIS', 'offline'), source('LYON', 'offline')] };
    expect(paired(given, read, cutOff)).toEqual(paired(given, read, { ...context, isComplete: false }));
  });

  it('what is closed gets no line for a side that cannot be asked', () => {
    const deaf = { ...context, sources: [source('PARIS', 'not-connected'), source('LYON', 'known')] };
    expect(paired([side('t', 'LYON', '1', false, 'B-PARIS', 'CD')], read, deaf)).toHaveLength(1);
    expect(otherHalf(side('t', 'LYON', '1', false, 'B-PARIS', 'CD'), read, deaf)).toMatchObject({ reason: 'unknown' });
  });

  it('a missing initiator stands in front', () => {
    expect(paired([side('t', 'LYON', '1', false, 'B-PARIS')], read, context)[0]?.half).toMatchObject({
      reason: 'gone',
      isInitiator: true,
    });
  });

  it('a side that is merely not among the rows is no half', () => {
    expect(otherHalf(side('i', 'PARIS', '1', true, 'B-LYON'), read, { ...context, isComplete: false })).toBeNull();
  });

  it('a closed side outlives the other: nothing is missed', () => {
    expect(otherHalf(side('t', 'LYON', '1', false, 'B-PARIS', 'CD'), read, context)).toBeNull();
  });

  it('a broker of another estate is outside, and one that has not answered may not be there yet', () => {
    expect(otherHalf(side('i', 'PARIS', '1', true, 'ELSEWHERE'), read, context)).toMatchObject({ reason: 'outside' });
    expect(otherHalf(side('i', 'PARIS', '1', true, null, 'SO'), read, context)).toMatchObject({ reason: 'not-yet' });
  });
});
