import { useMemo } from 'react';
import { useSearchParams } from 'react-router';

import { useSetParameters } from '@/hooks/use-view-state';
import { parseSorting, sortingText, type Sorting } from '@/live/grid/rows';

/** What a live view is asked for. It stands in the address, so that any view can be sent as a link. */
export type ViewQuery = {
  text: string;
  instance: string | null;
  database: string | null;
  sorting: Sorting | null;
  /** Ids of the columns that were chosen, null for those of the view. */
  columns: readonly string[] | null;
  /** Key of the row that is open beside the table. */
  row: string | null;
  /** What is chosen of a facet. */
  chosen: (facet: string) => readonly string[];
  setSorting: (sorting: Sorting | null) => void;
  setColumns: (columns: readonly string[] | null) => void;
  setRow: (row: string | null) => void;
  /** Chooses of a facet; nothing stays chosen of those that it excludes. */
  choose: (facet: string, values: readonly string[], excluded?: readonly string[]) => void;
  setPlace: (instance: string | null, database?: string | null) => void;
  clear: (facets: readonly string[]) => void;
};

const separator = '~';

export function useViewQuery(): ViewQuery {
  const [parameters] = useSearchParams();
  const setAll = useSetParameters();
  return useMemo(() => {
    const list = (name: string) => {
      const held = parameters.get(name);
      return held === null || held === '' ? [] : held.split(separator);
    };
    return {
      text: parameters.get('text') ?? '',
      instance: parameters.get('instance'),
      database: parameters.get('database'),
      sorting: parseSorting(parameters.get('sort')),
      columns: parameters.has('columns') ? list('columns') : null,
      row: parameters.get('row'),
      chosen: list,
      setSorting: (sorting) => {
        setAll({ sort: sorting === null ? null : sortingText(sorting) });
      },
      setColumns: (columns) => {
        setAll({ columns: columns?.join(separator) ?? null });
      },
      setRow: (row) => {
        setAll({ row });
      },
      choose: (facet, values, excluded = []) => {
        setAll({
          ...Object.fromEntries(excluded.map((name) => [name, null])),
          [facet]: values.join(separator),
          row: null,
        });
      },
      setPlace: (instance, database = null) => {
        setAll({ instance, database, row: null });
      },
      clear: (facets) => {
        setAll({
          text: null,
          instance: null,
          database: null,
          row: null,
          ...Object.fromEntries(facets.map((name) => [name, null])),
        });
      },
    };
  }, [parameters, setAll]);
}
