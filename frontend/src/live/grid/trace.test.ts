import { describe, expect, it } from 'vitest';

import { tableOf } from '../tables';
import { columnsWith, rowsWith } from './added';
import { gridColumns, gridRows, reader } from './rows';
import { classGroups, classOf, isFault, newestFirst, told, traceClasses, tracePlaces } from './trace';

const names = ['instance_name', 'EventSequence', 'EventClass', 'columns'];
const columns = names.map((name) => ({
  name,
  type: name === 'columns' ? 'json' : 'bigint',
  nullable: false,
  is_vendors: name.startsWith('Event'),
}));
const table = tableOf({
  columns,
  keys: ['1', '2', '3', '4'],
  rows: [
    ['PARIS', 7, 124, { StartTime: 100, TextData: 'CO', Error: null }],
    ['PARIS', 8, 140, { StartTime: 100, Error: 11290, TextData: 'too late' }],
    ['LYON', 90, 124, { StartTime: 99 }],
    ['LYON', 91, 999, { StartTime: 101 }],
  ],
  facts: {},
});
const all = columnsWith(tracePlaces.columns, gridColumns(table));
const read = reader(all);
const rows = rowsWith(tracePlaces, gridRows(table), table.columns);

describe('a row of the trace', () => {
  it("has a cell under each of the vendor's names; what its class does not fill is not NULL", () => {
    const [first] = rows;
    const cell = (id: string) => first && read(first, id);
    expect([cell('StartTime'), cell('TextData'), cell('Error'), cell('Severity')]).toEqual([
      100,
      'CO',
      null,
      undefined,
    ]);
    expect(first && told(first, read)).toEqual({ StartTime: 100, TextData: 'CO', Error: null });
    expect(all.find(({ id }) => id === 'TextData')).toMatchObject({ isVendors: true, type: 'nvarchar(max)' });
  });

  it('stays the same object while it is the same row', () => {
    expect(rowsWith(tracePlaces, gridRows({ ...table, facts: { PARIS: {} } }), table.columns)[1]).toBe(rows[1]);
  });

  it('is of one class, or of one that nobody knows', () => {
    expect(rows.map((row) => classOf(row, read))).toEqual([124, 140, 124, null]);
  });

  it.each([
    [160, { Error: 11218 }, false],
    [140, { Error: 11288 }, false],
    [160, { Error: 11210 }, true],
    [140, { Error: 11290 }, true],
    [142, {}, true],
    [124, { Error: 11210 }, false],
  ])('of class %i with %o is a fault: %s; a copy of a message that is there already is none', (number, cells, is) => {
    expect(isFault(number, cells)).toBe(is);
  });

  it('each class is in one group', () => {
    expect(
      Object.values(classGroups)
        .flat()
        .toSorted((one, other) => one - other),
    ).toEqual([...traceClasses]);
  });

  it('the newest stands first; of one instance by number, for many have the same time', () => {
    expect(newestFirst(rows, read).map(({ key }) => key)).toEqual(['4', '2', '1', '3']);
  });
});
