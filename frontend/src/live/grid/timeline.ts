// What a trace tells of one conversation: the newest events of both sides, in the order of their times.
import { gridRows, reader, gridColumns } from './rows';
import { datetimeText, linesText, plainText, type TableText } from './table-text';
import type { Table } from '../tables';

export type Step = {
  key: string;
  instance: string;
  database: string;
  /** The subclass in the vendor's words: `SEND Message`. */
  what: string;
  /** Seconds since 1970 of the first and the last. */
  from: number;
  to: number;
  /** How many of the kind came one after the other at this side. */
  count: number;
  /** Numbers of their messages; null when they have none. */
  numbers: { first: number; last: number } | null;
  /** The vendor's columns as they came; of several those of the first. */
  told: Readonly<Record<string, unknown>>;
};

type TraceColumns = { StartTime?: number; ObjectName?: string; BigintData1?: number; DatabaseName?: string };

/** The events of class Broker:Conversation that are about these handles, one by one. */
export function happenings(trace: Table, handles: ReadonlySet<string>): Step[] {
  const read = reader(gridColumns(trace));
  return gridRows(trace)
    .flatMap((row): Step[] => {
      const told = read(row, 'columns') as TraceColumns | null;
      if (told?.ObjectName === undefined || told.StartTime === undefined || !handles.has(told.ObjectName)) {
        return [];
      }
      const number = told.BigintData1;
      return [
        {
          key: row.key,
          instance: row.instance,
          database: told.DatabaseName ?? '',
          what: textOf(read(row, 'EventSubClassName')) || textOf(read(row, 'EventClassName')),
          from: told.StartTime,
          to: told.StartTime,
          count: 1,
          numbers: number === undefined ? null : { first: number, last: number },
          told,
        },
      ];
    })
    .toSorted((one, other) => one.from - other.from);
}

/** The same, neighbours of one kind as one step. */
export function compact(steps: readonly Step[]): Step[] {
  return steps.reduce<Step[]>((together, step) => {
    const before = together.at(-1);
    return before?.what === step.what && before.instance === step.instance && before.database === step.database
      ? [...together.slice(0, -1), joined(before, step)]
      : [...together, step];
  }, []);
}

function joined(before: Step, step: Step): Step {
  const numbers =
    before.numbers === null || step.numbers === null ? null : { first: before.numbers.first, last: step.numbers.last };
  return { ...before, to: step.to, count: before.count + 1, numbers };
}

/** Steps as a table for other programs: who said what, when. */
export function stepsText(steps: readonly Step[]): TableText {
  return linesText(
    [
      'StartTime',
      'EndTime',
      'EventSubClassName',
      'events',
      'first_number',
      'last_number',
      'instance_name',
      'DatabaseName',
    ],
    steps.map(({ from, to, what, count, numbers, instance, database }) => [
      datetimeText(from),
      datetimeText(to),
      what,
      String(count),
      numbers === null ? 'NULL' : String(numbers.first),
      numbers === null ? 'NULL' : String(numbers.last),
      instance,
      database,
    ]),
  );
}

/** The same as it was traced: all columns that any event fills, under the vendor's names. */
export function tracedText(steps: readonly Step[]): TableText {
  const names = [...new Set(steps.flatMap(({ told }) => Object.keys(told)))];
  const typeOf = (name: string) => (name === 'StartTime' || name === 'EndTime' ? 'datetime' : '');
  return linesText(
    ['instance_name', 'EventSubClassName', ...names],
    steps.map(({ instance, what, told }) => [
      instance,
      what,
      ...names.map((name) => (name in told ? plainText(told[name], typeOf(name)) : '')),
    ]),
  );
}

function textOf(cell: unknown): string {
  return typeof cell === 'string' ? cell : '';
}
