import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useInstancesNow } from '@/hooks/use-now';
import { useTopic } from '@/hooks/use-topics';
import { useLiveStore } from '@/lib/live-store';
import { sourcesOf } from '@/live/grid/sources';
import { figuresOf } from '@/live/ladder/figures';
import { ladder } from '@/live/ladder/ladder';
import { summariesOf } from '@/live/summary';

import { Changes } from './changes';
import classes from './home.module.css';
import { Jobs } from './jobs';
import { LadderPart } from './ladder-part';
import { Tiles } from './tiles';

/**
 * How an estate is: the health ladder, the few figures that matter, what was changed last, and what is being worked on.
 */
export function Home() {
  const { t } = useTranslation('home');
  const estate = useEstatePage();
  const topic = useTopic(estate.name, 'instances');
  const ahead = useLiveStore((store) => store.clockAheadMilliseconds);
  const now = useInstancesNow() / 1000;
  // A page that is opened while the server is away waits for nothing that is on its way.
  const isCutOff = useLiveStore(
    ({ connection, isPolling }) => !isPolling && (connection.phase === 'waiting' || connection.phase === 'refused'),
  );
  const sources = useMemo(() => {
    const told = sourcesOf(
      topic,
      estate.instances.map(({ name }) => name),
      ahead,
    );
    return isCutOff
      ? told.map((source) => (source.state === 'waiting' ? { ...source, state: 'offline' as const } : source))
      : told;
  }, [topic, estate.instances, ahead, isCutOff]);
  const summaries = useMemo(() => (topic === undefined ? [] : summariesOf(topic.table)), [topic]);
  const judged = useMemo(
    () => ladder(summaries, sources, { now, hasOthers: sources.length > 1 }),
    [summaries, sources, now],
  );
  const { figures, unknown } = useMemo(() => figuresOf(summaries, sources, now), [summaries, sources, now]);
  const isReading = sources.every(({ state }) => state === 'waiting');
  return (
    <div className={classes.home}>
      <section aria-label={t('tiles.label')}>
        <Tiles figures={figures} unknown={unknown} isReading={isReading} />
      </section>
      <LadderPart ladder={judged} sources={sources} isReading={isReading} />
      <div className={classes.side}>
        <Changes />
        <Jobs />
      </div>
    </div>
  );
}
