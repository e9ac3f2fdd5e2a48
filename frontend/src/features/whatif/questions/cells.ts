// What stands in the cells of an answer, in words; and where a row leads.
import { dispositionWord } from '@/components/what-if/words';
import type { Disposition, LegKind, Severity, TableAnswer, TableColumn } from '@/contracts/api';
import { i18n, numberText } from '@/i18n';
import { absoluteTime } from '@/lib/time';
import { severityWord } from '@/topology/findings';
import { subjectKindText } from '@/topology/object-words';
import { formatSelection, type Selection } from '@/topology/selection';
import { basisParameters, whatIfAddress, type Basis, type Flow } from '@/topology/what-if-address';

export type Cell = string | number | boolean | null;
export type Row = readonly Cell[];

/** The cell of a column; null where the table has none of this name. */
export function cellOf(columns: readonly TableColumn[], row: Row, name: string): Cell {
  return row[columns.findIndex((column) => column.name === name)] ?? null;
}

const textOf = (columns: readonly TableColumn[], row: Row, name: string): string | null => {
  const cell = cellOf(columns, row, name);
  return typeof cell === 'string' ? cell : null;
};

/** `arrived_after` has a title in every language; a column that is newer than this page is called as the server does. */
export function columnTitle({ name }: TableColumn): string {
  return i18n.t(`tables:column.${name as 'leg'}`, { defaultValue: name.replaceAll('_', ' ') });
}

const decimals = (value: number) => numberText(Math.round(value * 1000) / 1000);

/** A cell in words; empty for nothing. */
export function cellText(columns: readonly TableColumn[], column: TableColumn, row: Row): string {
  const cell = cellOf(columns, row, column.name);
  if (cell === null) {
    return '';
  }
  switch (column.kind) {
    case 'word':
      return wordOf(columns, column.name, String(cell), row);
    case 'yes-no':
      return i18n.t(cell === true ? 'tables:yes' : 'tables:no');
    case 'instant':
      return absoluteTime(Date.parse(String(cell)));
    case 'share':
      return i18n.t('tables:share', { share: Number(cell) });
    case 'seconds':
      return i18n.t('tables:seconds', { seconds: decimals(Number(cell)) });
    case 'number':
      return numberText(Number(cell));
    case 'error':
    case 'name':
    case 'sentence':
      return String(cell);
  }
}

function wordOf(columns: readonly TableColumn[], name: string, word: string, row: Row): string {
  switch (name) {
    case 'disposition': {
      const number = cellOf(columns, row, 'number');
      return dispositionWord(word as Disposition, typeof number === 'number' ? number : null);
    }
    case 'leg':
      return i18n.t(`whatif:leg.${word as LegKind}.word`);
    case 'severity':
      return severityWord(word as Severity);
    case 'kind':
      return subjectKindText(word);
    case 'classification':
      return i18n.t(`tables:classification.${word as 'remote'}`);
    case 'difference':
      return i18n.t(`tables:difference.${word as 'missing'}`);
    default:
      return word;
  }
}

/** The flow that a row is about; null for a row about something else. */
export function flowOf(columns: readonly TableColumn[], row: Row): Flow | null {
  const [instance, database, service, to] = ['instance', 'database', 'service', 'to_service'].map((name) =>
    textOf(columns, row, name),
  );
  return instance && database && service && to
    ? { instance, database, service, to_service: to, broker_instance: textOf(columns, row, 'broker_instance') }
    : null;
}

/** The object that a row is about, as far as the map has it. */
function selectionOf(columns: readonly TableColumn[], row: Row): Selection | null {
  const instance = textOf(columns, row, 'instance');
  const database = textOf(columns, row, 'database') ?? textOf(columns, row, 'table');
  const kind = textOf(columns, row, 'kind');
  const name = textOf(columns, row, 'name');
  const route = textOf(columns, row, 'route') ?? (kind === 'route' ? name : null);
  if (instance === null) {
    return null;
  }
  if (database === null) {
    return { kind: 'instance', instance };
  }
  if (route !== null) {
    return { kind: 'route', instance, database, route };
  }
  return kind === 'service' && name !== null
    ? { kind: 'service', instance, database, service: name }
    : { kind: 'database', instance, database };
}

export type RowLink = { to: string; kind: 'flow' | 'map' };

/** Where a row leads: a flow to the page of one flow, anything else to its place on the map. */
export function linkOf(estate: string, columns: readonly TableColumn[], row: Row, basis: Basis): RowLink | null {
  const flow = flowOf(columns, row);
  if (flow !== null) {
    return { to: whatIfAddress(estate, flow, basis), kind: 'flow' };
  }
  const selection = selectionOf(columns, row);
  if (selection === null) {
    return null;
  }
  const { draft = null } = basis;
  const asked = new URLSearchParams({
    select: formatSelection(selection),
    ...basisParameters({ draft }),
  });
  return { to: `/estates/${encodeURIComponent(estate)}/topology?${asked.toString()}`, kind: 'map' };
}

/** Of rows whose cells differ: `before → after`, and one of them where they are the same. */
export function changedText(
  columns: readonly TableColumn[],
  column: TableColumn,
  before: Row | null,
  after: Row | null,
): string {
  const was = before === null ? '' : cellText(columns, column, before);
  const now = after === null ? '' : cellText(columns, column, after);
  if (before === null || after === null || was === now) {
    return now === '' ? was : now;
  }
  const nothing = i18n.t('tables:nothing');
  return i18n.t('tables:becomes', { before: was === '' ? nothing : was, after: now === '' ? nothing : now });
}

/** The whole table on view as lines of texts, for the clipboard. */
export function linesOf({ columns, rows, changes, reference }: TableAnswer): string[][] {
  if (reference === null) {
    return rows.map((row) => columns.map((column) => cellText(columns, column, row)));
  }
  return changes.map(({ change, before, after }) => [
    i18n.t(`tables:change.${change}.word`),
    ...columns.map((column) => changedText(columns, column, before, after)),
  ]);
}
