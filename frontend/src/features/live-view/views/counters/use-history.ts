import { useEffect, useState } from 'react';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useLiveStore } from '@/lib/live-store';
import { noHistory, withMoment, type History } from '@/live/grid/counters';
import { gridColumns, gridRows, reader } from '@/live/grid/rows';
import type { Table } from '@/live/tables';

/** After so long without news the counters are as they were: what does not change is not told again. */
const quietMilliseconds = 3_000;

const nothing: ReadonlyMap<string, number | null> = new Map();

/** The last minutes of all counters that this page follows, a moment with each reading; held while it pauses. */
export function useHistory(): History {
  const isPaused = useLiveStore((store) => store.isPaused);
  const { name } = useEstatePage();
  const [history, setHistory] = useState(noHistory);
  const [held, hold] = useState<History | null>(null);
  if (isPaused !== (held !== null)) {
    hold(isPaused ? history : null);
  }
  useEffect(() => {
    let [seen, takenAt]: [Table | null, number] = [null, 0];
    const take = (table: Table | null) => {
      [seen, takenAt] = [table, Date.now()];
      const values = table === null ? nothing : valuesOf(table);
      setHistory((before) => withMoment(before, Date.now() / 1000, values));
    };
    const look = () => {
      const topics = Object.values(useLiveStore.getState().topics);
      const topic = topics.find((one) => one.estate === name && one.topic === 'counters' && one.seq > 0);
      if (topic?.isCurrent !== true) {
        // One moment of which nothing is known is enough for a gap.
        if (seen !== null) {
          take(null);
        }
      } else if (topic.table !== seen || Date.now() - takenAt > quietMilliseconds) {
        take(topic.table);
      }
    };
    look();
    const stop = useLiveStore.subscribe(look);
    const timer = setInterval(look, quietMilliseconds);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [name]);
  return held ?? history;
}

function valuesOf(table: Table): ReadonlyMap<string, number | null> {
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
}
