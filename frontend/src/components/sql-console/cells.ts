// Cells of result sets as people read them, and as other programs take them.
import type { ConsoleCell, ConsoleColumn } from '@/contracts/console-messages';
import { linesText, plainText, type TableText } from '@/live/grid/table-text';

const binaryTypes = /^(var)?binary\b|^image\b/;
const numberTypes = /^(tinyint|smallint|int|bigint|bit|float|real|decimal|numeric|money|smallmoney)\b/;
const timeTypes = /^(datetime|smalldatetime|datetime2|datetimeoffset)\b/;

export function isNumberType(type: string): boolean {
  return numberTypes.test(type);
}

export function isTimeType(type: string): boolean {
  return timeTypes.test(type);
}

/** A cell whole, as a query tool shows it; NULL is told apart by whoever draws it. */
export function cellText(cell: ConsoleCell, type: string): string {
  return plainText(cell, isTimeType(type) ? 'datetime' : type);
}

/** What bytes say when they are read as text: UTF-16 as N'…' sends it, or UTF-8; null when they are no text. */
export function readableBytes(cell: ConsoleCell, type: string): string | null {
  if (typeof cell !== 'string' || !binaryTypes.test(type) || !/^0x([0-9A-F]{2})+$/i.test(cell)) {
    return null;
  }
  const bytes = Uint8Array.from(cell.slice(2).match(/../g) ?? [], (pair) => parseInt(pair, 16));
  // As the server reads them: what is UTF-8 is taken for it, and zero bytes make UTF-16 none.
  return decoded(bytes, 'utf-8') ?? (bytes.length % 2 === 0 ? decoded(bytes, 'utf-16le') : null);
}

function decoded(bytes: Uint8Array, encoding: string): string | null {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return /^[\P{C}\t\r\n]+$/u.test(text) ? text : null;
  } catch {
    return null;
  }
}

/** The whole result set for the clipboard. */
export function resultText(columns: readonly ConsoleColumn[], rows: readonly (readonly ConsoleCell[])[]): TableText {
  return linesText(
    columns.map(({ name }) => name),
    rows.map((row) => columns.map(({ type }, at) => cellText(row[at] ?? null, type))),
  );
}

const digitWidth = 7.9;

/**
 * How wide a column is drawn, in pixels: for its name, or what stands for one, and for what the first rows have in it,
 * within bounds.
 */
export function columnWidth(
  column: ConsoleColumn,
  at: number,
  rows: readonly (readonly ConsoleCell[])[],
  unnamed: string,
): number {
  const longest = Math.max(
    (column.name === '' ? unnamed : column.name).length,
    ...rows.slice(0, 50).map((row) => cellText(row[at] ?? null, column.type).length),
  );
  return Math.round(Math.min(380, Math.max(64, 24 + longest * digitWidth)));
}
