import { describe, expect, it } from 'vitest';

import { cellText, columnWidth, readableBytes, resultText } from './cells';
import { bracketed } from './editor/model-names';

describe('a cell', () => {
  it.each([
    [null, 'int', 'NULL'],
    [1763900000.5, 'datetime', '2025-11-23 12:13:20.500'],
    [1763900000.5, 'datetime2(7)', '2025-11-23 12:13:20.500'],
    [12, 'int', '12'],
    ['0x00FF', 'varbinary(max)', '0x00FF'],
  ])('%s of type %s reads %s', (cell, type, text) => {
    expect(cellText(cell, type)).toBe(text);
  });

  it.each([
    ['0x3C612F3E', '<a/>'],
    ['0x3C0061002F003E00', '<a/>'],
    ['0xC3A9', 'é'],
    ['0x00FF', null],
    ['0xFF', null],
    ['0x', null],
    ['0x3C612…', null],
    [null, null],
  ])('of bytes %s says %s', (cell, text) => {
    expect(readableBytes(cell, 'varbinary(max)')).toBe(text);
  });

  it('of another type says nothing as bytes', () => {
    expect(readableBytes('0x3C612F3E', 'nvarchar(max)')).toBeNull();
  });
});

describe('a result set for the clipboard', () => {
  it('has its columns, NULL, and quotes around what would be another cell', () => {
    const columns = [
      { name: 'n', type: 'int' },
      { name: 'text', type: 'nvarchar(max)' },
    ];
    expect(resultText(columns, [[null, 'a\tb']]).text).toBe('n\ttext\r\nNULL\t"a\tb"');
  });
});

it('columns are as wide as what they hold, within bounds', () => {
  const column = { name: 'n', type: 'nvarchar(max)' };
  expect(columnWidth(column, 0, [['x']], '–')).toBe(64);
  expect(columnWidth(column, 0, [['x'.repeat(4000)]], '–')).toBe(380);
});

it.each([
  ['Ventes', 'Ventes'],
  ['Commandes reçues', '[Commandes reçues]'],
  ['a]b', '[a]]b]'],
  ['//exemple.fr/Ventes', '[//exemple.fr/Ventes]'],
])('the name %s is written %s', (name, written) => {
  expect(bracketed(name)).toBe(written);
});
