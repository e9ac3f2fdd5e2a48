// What the tables of runs hold, which the server describes as anything at all.
import type { ResultColumn, ResultPage, RunSample } from '@/contracts/api';

export type Change = RunSample['change'];
export type CellPart = string | number | boolean | null | { [name: string]: CellPart };
export type Cell = string | number | boolean | null | CellPart[];
export type TablePage = Omit<ResultPage, 'rows'> & { columns: ResultColumn[]; rows: Cell[][] };
