// What the tables of runs and the results of jobs hold, which the server describes as anything at all.
import type { ResultColumn, ResultPage, ResultSums, RunSample } from '@/contracts/api';

export type Change = RunSample['change'];
export type CellPart = string | number | boolean | null | { [name: string]: CellPart };
export type Cell = string | number | boolean | null | CellPart[];
export type TablePage = Omit<ResultPage, 'rows'> & { columns: ResultColumn[]; rows: Cell[][] };

export type TableSums = Omit<ResultSums, 'rows' | 'sums' | 'others'> & {
  columns: ResultColumn[];
  rows: Cell[][];
  /** Whole numbers beyond those that a browser counts are texts. */
  sums: (number | string)[];
  others: (number | string)[];
};

/** Rows of a trace that were rejected for one reason, of the column that it is about if there is one. */
export type ImportReason = { reason: string; column: string; rows: number };

/** What came of a trace that was read. */
export type ImportResult = {
  rows: number;
  written: number;
  known: number;
  rejected: number;
  reasons: ImportReason[];
  other_reasons: number;
};

/** What became of a trace that was taken out of the lake again: the result of its job. */
export type TakeOutResult = {
  /** Those of the file that are understood. */
  rows: number;
  /** Rows of the lake that are gone. */
  taken: number;
  missing: number;
  /** Rows that the import had not understood, and that are gone too. */
  rejected: number;
};
