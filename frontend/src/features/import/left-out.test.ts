import { describe, expect, it } from 'vitest';

import type { ImportProblem, ImportReport, ImportRow } from '@/contracts/api';

import { allRows, countLeftOut, leaveOut, statementLine } from './left-out';

function row(line: number, effect: ImportRow['effect'], file = 'a.sql'): ImportRow {
  return {
    file,
    line,
    instance: 'PARIS',
    database: null,
    verb: 'CREATE',
    object_kind: 'route',
    object_name: `r${line}`,
    effect,
    text: '',
  };
}

function problem(line: number): ImportProblem {
  return { file: 'a.sql', line, column: 3, code: 9744, detail: 'wrong', why: '', cure: '' };
}

function report(rows: ImportRow[], problems: ImportProblem[]): ImportReport {
  return {
    estate: 'x',
    is_applied: false,
    revision: null,
    change_set: null,
    sequence: null,
    rows,
    problems,
    warnings: [],
    backlogs: [],
  };
}

describe('what is left out', () => {
  it('is the statement around a clause that is wrong', () => {
    expect(statementLine(report([row(1, 'add'), row(4, 'error'), row(9, 'add')], [problem(6)]), problem(6))).toBe(4);
  });
  it('is the line itself of a statement that could not be read', () => {
    expect(statementLine(report([row(1, 'error'), row(4, 'add')], [problem(6)]), problem(6))).toBe(6);
    expect(statementLine(report([row(5, 'error', 'b.sql')], [problem(6)]), problem(6))).toBe(6);
  });
  it('is counted once', () => {
    expect(countLeftOut(leaveOut(leaveOut({}, 'a.sql', 6), 'a.sql', 6))).toBe(1);
  });
});

it('a statement that could not be read is among the rows, one that was refused is there once', () => {
  const rows = allRows(report([row(4, 'error'), row(9, 'add')], [problem(5), problem(20)]));
  expect(rows.map(({ line, effect }) => [line, effect])).toEqual([
    [20, 'error'],
    [4, 'error'],
    [9, 'add'],
  ]);
});
