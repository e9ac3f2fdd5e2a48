// Which statements are left out, by file and line; a collected server's objects have their number for a line.
import type { ImportProblem, ImportReport, ImportRow } from '@/contracts/api';

export type LeftOut = Readonly<Record<string, readonly number[]>>;

export function leaveOut(leftOut: LeftOut, file: string, line: number): LeftOut {
  return { ...leftOut, [file]: [...new Set([...(leftOut[file] ?? []), line])] };
}

export function countLeftOut(leftOut: LeftOut): number {
  return Object.values(leftOut).reduce((sum, lines) => sum + lines.length, 0);
}

/** The line in which the statement begins that a problem is about: a clause may stand further down. */
export function statementLine(report: ImportReport, problem: ImportProblem): number {
  const before = report.rows.filter((row) => row.file === problem.file && row.line <= problem.line);
  const last = before.reduce<ImportRow | undefined>(
    (found, row) => (found === undefined || row.line >= found.line ? row : found),
    undefined,
  );
  return last?.effect === 'error' ? last.line : problem.line;
}

/** Every statement, those among them that could not even be read. */
export function allRows(report: ImportReport): ImportRow[] {
  const told = new Set(report.rows.filter((row) => row.effect === 'error').map((row) => `${row.file}:${row.line}`));
  const unread = report.problems
    .filter((problem) => !told.has(`${problem.file}:${statementLine(report, problem)}`))
    .map((problem): ImportRow => ({
      file: problem.file,
      line: problem.line,
      instance: '',
      database: null,
      verb: '',
      object_kind: '',
      object_name: '',
      effect: 'error',
      text: problem.detail,
    }));
  return [...unread, ...report.rows];
}
