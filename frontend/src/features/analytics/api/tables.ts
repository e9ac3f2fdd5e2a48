import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { answered, client } from '@/lib/api-client';
import { keys } from '@/lib/query-client';

import { drillQuery, type Drill } from '../drill';
import type { TablePage, TableSums } from './types';

export type Sorting = { column: string; isDescending: boolean };
export type Filter = { column: string; value: string };
/** Sums of columns `of` by what rows have in common, the `limit` largest groups; of rows that are none of `without`. */
export type SumsAsked = {
  by: readonly string[];
  of: readonly string[];
  limit: number;
  without?: readonly Filter[];
};
export type TableAsked = { sorting: Sorting | null; filters: readonly Filter[]; page: number };

/** Rows of a page of a table. */
export const pageRows = 100;
/** Rows of a sorted table that the server turns over. */
export const sortedRowsMax = 100_000;
/** Rows that a chart is made of at most; nothing is added up of them. */
export const chartRowsMax = 4_000;
const chartPageRows = 1_000;

async function readTable(
  estate: string,
  run: string,
  table: string,
  { sorting, filters }: Omit<TableAsked, 'page'>,
  offset: number,
  limit: number,
): Promise<TablePage> {
  return answered(
    (await client.GET('/api/v1/estates/{estate}/runs/{run}/tables/{table}', {
      params: {
        path: { estate, run, table },
        query: {
          offset,
          limit,
          ...(sorting === null ? {} : { sort: sorting.column, descending: sorting.isDescending }),
          ...(filters.length === 0 ? {} : { where: filtersText(filters) }),
        },
      },
    })) as { data?: TablePage },
  );
}

const filtersText = (filters: readonly Filter[]) => filters.map(({ column, value }) => `${column}:${value}`);

/** A page of a table of a run, sorted and filtered by the server. Tables of a run never change. */
export function tableQuery(estate: string, run: string, table: string, asked: TableAsked) {
  return queryOptions({
    queryKey: [...keys.runs(estate), run, 'table', table, asked],
    queryFn: () => readTable(estate, run, table, asked, (asked.page - 1) * pageRows, pageRows),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}

const everything: readonly Filter[] = [];

/** As many rows as a chart can show, the first ones in an order. */
export function chartQuery(estate: string, run: string, table: string, sorting: Sorting | null, filters = everything) {
  return queryOptions({
    queryKey: [...keys.runs(estate), run, 'chart', table, sorting, filters],
    queryFn: async () => {
      const asked = { sorting, filters };
      const first = await readTable(estate, run, table, asked, 0, chartPageRows);
      const rows = [...first.rows];
      while (rows.length < Math.min(first.total, chartRowsMax)) {
        const more = await readTable(estate, run, table, asked, rows.length, chartPageRows);
        if (more.rows.length === 0) {
          break;
        }
        rows.push(...more.rows);
      }
      return { ...first, rows };
    },
    staleTime: Infinity,
  });
}

/** Sums over a whole table of a run. */
export function sumsQuery(estate: string, run: string, table: string, asked: SumsAsked) {
  return queryOptions({
    queryKey: [...keys.runs(estate), run, 'sums', table, asked],
    queryFn: async () => {
      const { by, of, limit, without = everything } = asked;
      const result = await client.GET('/api/v1/estates/{estate}/runs/{run}/tables/{table}/sums', {
        params: {
          path: { estate, run, table },
          query: {
            by: [...by],
            of: [...of],
            limit,
            ...(without.length === 0 ? {} : { without: filtersText(without) }),
          },
        },
      });
      return answered(result as { data?: TableSums });
    },
    staleTime: Infinity,
  });
}

/** Conversations of a change, as many as one reads. */
export function samplesQuery(estate: string, run: string, drill: Drill) {
  return queryOptions({
    queryKey: [...keys.runs(estate), run, 'samples', drill],
    queryFn: async () =>
      answered(
        await client.GET('/api/v1/estates/{estate}/runs/{run}/samples', {
          params: { path: { estate, run }, query: { ...drillQuery(drill), limit: 20 } },
        }),
      ),
    staleTime: Infinity,
  });
}

/** Where a whole table is a file. */
export function downloadAddress(estate: string, run: string, table: string, format: 'csv' | 'parquet'): string {
  const base = `/api/v1/estates/${encodeURIComponent(estate)}/runs/${encodeURIComponent(run)}`;
  return `${base}/tables/${encodeURIComponent(table)}/download?format=${format}`;
}
