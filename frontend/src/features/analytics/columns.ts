// Names of columns and what stands in cells, in words.
import type { ResultColumn } from '@/contracts/api';
import { i18n, numberText } from '@/i18n';
import { absoluteTime } from '@/lib/time';

import type { Cell, CellPart } from './api/types';

/** `latency_p95` has a title in every language; a column that is newer than this page is called as the table does. */
export function columnTitle(name: string): string {
  return i18n.t(`analytics:column.${name as 'messages'}`, { defaultValue: name.replaceAll('_', ' ') });
}

export function isNumber({ type }: ResultColumn): boolean {
  return type === 'integer' || type === 'number';
}

/** Columns of plain numbers that are names: they are not grouped. */
const codes: ReadonlySet<string> = new Set([
  'number',
  'revision',
  'message_sequence_number',
  'flow',
  'sender',
  'target',
]);

/** Shares of the whole. */
const shares: ReadonlySet<string> = new Set(['share', 'resend_ratio', 'way_share', 'arrives_share', 'heard_share']);

/** A cell in words; empty for nothing. */
export function cellText({ name, type }: ResultColumn, cell: Cell | undefined): string {
  if (cell === null || cell === undefined) {
    return '';
  }
  if (Array.isArray(cell)) {
    return cell.map(partText).join(name === 'verdicts' ? ', ' : ' › ');
  }
  if (typeof cell === 'boolean') {
    return i18n.t(cell ? 'analytics:yes' : 'analytics:no');
  }
  if (typeof cell === 'number') {
    return codes.has(name) ? String(cell) : shares.has(name) ? shareText(cell) : figureText(cell);
  }
  return type === 'time' ? absoluteTime(Date.parse(cell), 3) : wordOf(name, cell);
}

/** What a step of a path or a list holds. */
function partText(part: CellPart): string {
  if (part === null) {
    return '–';
  }
  if (typeof part === 'object') {
    return Object.values(part)
      .filter((value) => typeof value === 'string' || typeof value === 'number')
      .join(' · ');
  }
  return wordOf('verdict', String(part));
}

/** Words that the tables keep as codes. */
function wordOf(name: string, word: string): string {
  return name === 'verdict' ? verdictWord(word) : word;
}

export function verdictWord(verdict: string): string {
  return i18n.t(`analytics:verdict.${verdict as 'lost'}.word`, { defaultValue: verdict });
}

/** `12.3 %`: small ones keep their first digits. */
export function shareText(share: number): string {
  return share.toLocaleString(i18n.language, { style: 'percent', maximumSignificantDigits: 3 });
}

function figureText(figure: number): string {
  return Number.isInteger(figure) ? numberText(figure) : numberText(Math.round(figure * 1000) / 1000);
}

/** Columns in which a bar says how much of the largest one there is. */
export function barShare(cell: Cell | undefined, largest: number): number {
  return typeof cell !== 'number' || largest <= 0 ? 0 : Math.max(0, Math.min(1, cell / largest));
}
