import { gridColumns, gridRows, reader } from '@/live/grid/rows';

import type { Watched } from '../../frame/plot/use-history';

/** All counters that this page follows, by the keys of their rows. */
export const watchedCounters: Watched = {
  isOf: ({ topic }) => topic === 'counters',
  isClocked: false,
  valuesOf: (table) => {
    const read = reader(gridColumns(table));
    const known = new Set(
      Object.entries(table.facts).flatMap(([instance, fact]) => ('unavailable' in (fact as object) ? [] : [instance])),
    );
    return new Map(
      gridRows(table)
        .filter(({ instance }) => known.has(instance))
        .map((row): [string, number | null] => {
          const value = read(row, 'cntr_value');
          return [row.key, typeof value === 'number' ? value : null];
        }),
    );
  },
};
