import { useMemo } from 'react';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useLiveStore } from '@/lib/live-store';
import type { Added } from '@/live/grid/added';
import { byteColumns, byteSums } from '@/live/grid/connections';
import { gridColumns, gridRows, reader } from '@/live/grid/rows';
import { rateOf } from '@/live/grid/trend';

import { useSamples } from '../../frame/use-samples';

/** Over how long a rate is taken: sums are told anew every five seconds at least. */
export const rateSeconds = 15;

const columns = [
  { name: 'bytes_sent_per_second', type: 'bigint', isVendors: false },
  { name: 'bytes_received_per_second', type: 'bigint', isVendors: false },
];

/** Columns with the bytes a second of each connection, from what this page has seen of its sums. */
export function useRates(): Added {
  const { name } = useEstatePage();
  const topics = useLiveStore((store) => store.topics);
  const topic = Object.values(topics).find((one) => one.estate === name && one.topic === 'connections' && one.seq > 0);
  const [table, isCurrent] = [topic?.table, topic?.isCurrent === true];
  const figures = useMemo(
    () => (table === undefined || !isCurrent ? null : byteSums(gridRows(table), reader(gridColumns(table)))),
    [table, isCurrent],
  );
  const samples = useSamples(figures);
  return useMemo(
    () => ({
      columns,
      cells: (row) =>
        byteColumns.map((id) => {
          const rate = rateOf(samples, `${row.key} ${id}`, rateSeconds);
          return rate === null ? null : Math.round(rate);
        }),
    }),
    [samples],
  );
}
