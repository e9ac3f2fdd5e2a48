// Rows of the trace: the columns that a class of events fills, each under the vendor's name, and groups of classes.
import type { Cell } from '@/contracts/live-messages';

import type { Added, AddedColumn } from './added';
import type { GridRow, Read } from './rows';

/** Columns of SQL Trace that the broker's classes fill, with their types (views.md 4). */
const types: Readonly<Record<string, string>> = {
  StartTime: 'datetime',
  DatabaseName: 'sysname',
  ObjectName: 'nvarchar(256)',
  TextData: 'nvarchar(max)',
  Error: 'int',
  Severity: 'int',
  State: 'int',
  RoleName: 'nvarchar(256)',
  GUID: 'uniqueidentifier',
  MethodName: 'nvarchar(256)',
  BigintData1: 'bigint',
  IntegerData: 'int',
  BigintData2: 'bigint',
  IntegerData2: 'int',
  Priority: 'int',
  TargetUserName: 'nvarchar(256)',
  DBUserName: 'nvarchar(256)',
  FileName: 'nvarchar(256)',
  OwnerName: 'nvarchar(256)',
  TargetLoginName: 'nvarchar(256)',
  ProviderName: 'nvarchar(256)',
  IndexID: 'int',
  ObjectID: 'int',
  Success: 'int',
  BinaryData: 'varbinary(max)',
};

export const traceColumns: readonly AddedColumn[] = Object.entries(types).map(([name, type]) => ({
  name,
  type,
  isVendors: true,
}));

/** What a row tells under the names of its class. */
export function told(row: GridRow, read: Read): Readonly<Record<string, Cell>> {
  const value = read(row, 'columns');
  return typeof value === 'object' && value !== null ? (value as Record<string, Cell>) : {};
}

/** Each of the vendor's columns for itself; undefined where the class of the row does not fill it. */
export const tracePlaces: Added = {
  columns: traceColumns,
  cells: (row, read) => {
    const cells = told(row, read);
    return traceColumns.map(({ name }) => cells[name]);
  },
};

/** Classes by what somebody looks for. */
export const classGroups = {
  faults: [140, 142, 143, 158, 160, 161],
  conversations: [124, 136, 149],
  routing: [139, 141, 144],
  connections: [138, 159],
  activation: [163],
} as const;

export type ClassGroup = keyof typeof classGroups;

export const groupNames = Object.keys(classGroups) as ClassGroup[];

/** The numbers of all classes, in their order. */
export const traceClasses = [124, 136, 138, 139, 140, 141, 142, 143, 144, 149, 158, 159, 160, 161, 163] as const;

export type TraceClass = (typeof traceClasses)[number];

export function classOf(row: GridRow, read: Read): TraceClass | null {
  const number = read(row, 'EventClass');
  return traceClasses.find((one) => one === number) ?? null;
}

/** 11218 and 11288: a copy arrived of a message that is here, or in transit here, already. Senders repeat themselves. */
const duplicates: readonly Cell[] = [11218, 11288];

/** Whether an event of a class, with what it fills in, is a fault; a harmless copy is none. */
export function isFault(eventClass: Cell, columns: Cell): boolean {
  const error = typeof columns === 'object' && columns !== null ? (columns as Record<string, Cell>).Error : undefined;
  return classGroups.faults.some((one) => one === eventClass) && !duplicates.includes(error);
}

/** The classes of which `GUID` is the id of a conversation. */
export const ofConversation: readonly TraceClass[] = [124, 139, 140, 141, 149, 158, 160, 161];

/** The newest first: by time and, within an instance, by number. */
export function newestFirst(rows: readonly GridRow[], read: Read): readonly GridRow[] {
  const number = (row: GridRow, id: string) => Number(read(row, id) ?? 0);
  const places = new Map(rows.map((row, place) => [row, place]));
  return rows.toSorted((one, other) => {
    const isSame = one.instance === other.instance;
    const by = isSame ? 'EventSequence' : 'StartTime';
    return number(other, by) - number(one, by) || (places.get(other) ?? 0) - (places.get(one) ?? 0);
  });
}
