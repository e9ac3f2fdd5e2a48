// Rows as a table for other programs: tab-separated text and HTML, with the vendor's column names and the whole values.
import type { Cell } from '@/contracts/live-messages';

import type { GridColumn, GridRow } from './rows';

/** `2026-11-23 20:05:01.123`, UTC, as SQL Server writes a datetime. */
export function datetimeText(seconds: number): string {
  const moment = new Date(Math.round(seconds * 1000));
  return Number.isNaN(moment.getTime()) ? String(seconds) : moment.toISOString().replace('T', ' ').replace('Z', '');
}

/** A value whole, as a query would show it. */
export function plainText(value: Cell, type: string): string {
  if (value === null || value === undefined) {
    return 'NULL';
  }
  if (typeof value === 'boolean') {
    return value ? '1' : '0';
  }
  if (type === 'datetime' && typeof value === 'number') {
    return datetimeText(value);
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export type TableText = { text: string; html: string };

export function tableText(columns: readonly GridColumn[], rows: readonly GridRow[]): TableText {
  const lines = rows
    .filter(({ half }) => half === undefined)
    .map((row) => columns.map(({ at, type }) => plainText(row.cells[at], type)));
  return linesText(
    columns.map(({ name }) => name),
    lines,
  );
}

/** A head and lines of cells that are texts already. */
export function linesText(head: readonly string[], lines: readonly (readonly string[])[]): TableText {
  return {
    text: [head, ...lines].map((line) => line.map((cell) => quoted(harmless(cell))).join('\t')).join('\r\n'),
    html: `<table><thead><tr>${cellsOf('th', head)}</tr></thead><tbody>${lines.map((line) => `<tr>${cellsOf('td', line)}</tr>`).join('')}</tbody></table>`,
  };
}

/** A cell that no spreadsheet takes for a formula: names are given by strangers, and what is pasted is carried out. */
function harmless(value: string): string {
  const isNumber = /^[-+]?\d+(\.\d+)?$/.test(value);
  return !isNumber && /^[\s\uFEFF]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/.test(value) ? `'${value}` : value;
}

/** A tab, a line end or a quote within a value must not become a cell of its own. */
function quoted(value: string): string {
  return /["\t\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

function cellsOf(tag: 'td' | 'th', values: readonly string[]): string {
  return values.map((value) => `<${tag}>${escaped(harmless(value))}</${tag}>`).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(value: string): string {
  return value.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
