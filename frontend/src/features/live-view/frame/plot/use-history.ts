import { useEffect, useState } from 'react';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useLiveStore } from '@/lib/live-store';
import { noHistory, withMoment, type History } from '@/live/grid/history';
import type { TopicState } from '@/live/streams';
import type { Table } from '@/live/tables';

export type Watched = {
  /** Whether it is the topic that the figures are of. */
  isOf: (topic: TopicState) => boolean;
  /** Figures by what they are of; what is not known now is left out. */
  valuesOf: (table: Table) => ReadonlyMap<string, number | null>;
  /** Whether a moment is taken every second, whatever is told; otherwise one with each reading. */
  isClocked: boolean;
};

/** After so long without news readings are as they were: what does not change is not told again. */
const quietMilliseconds = 3_000;
const secondMilliseconds = 1_000;

const nothing: ReadonlyMap<string, number | null> = new Map();

/** The last minutes of figures of a topic that this page follows; held while it pauses. Keep the object `watched`. */
export function useHistory(watched: Watched): History {
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
      const values = table === null ? nothing : watched.valuesOf(table);
      setHistory((before) => withMoment(before, Date.now() / 1000, values));
    };
    const look = () => {
      const topics = Object.values(useLiveStore.getState().topics);
      const topic = topics.find((one) => one.estate === name && one.seq > 0 && watched.isOf(one));
      if (watched.isClocked) {
        take(topic?.isCurrent === true ? topic.table : null);
      } else if (topic?.isCurrent !== true) {
        // One moment of which nothing is known is enough for a gap.
        if (seen !== null) {
          take(null);
        }
      } else if (topic.table !== seen || Date.now() - takenAt > quietMilliseconds) {
        take(topic.table);
      }
    };
    look();
    const stop = watched.isClocked ? null : useLiveStore.subscribe(look);
    const timer = setInterval(look, watched.isClocked ? secondMilliseconds : quietMilliseconds);
    return () => {
      stop?.();
      clearInterval(timer);
    };
  }, [name, watched]);
  return held ?? history;
}
