import { useEffect } from 'react';

import type { Topic, TopicParams } from '@/contracts/live-messages';
import { liveSession } from '@/lib/live-session';
import { useLiveStore } from '@/lib/live-store';
import { keyOf, type TopicState } from '@/live/streams';

const none: TopicParams = {};

/** Follows a topic while the component is there; undefined before anything is known of it. */
export function useTopic(estate: string, topic: Topic, params: TopicParams = none): TopicState | undefined {
  const key = keyOf({ estate, topic, params });
  useEffect(() => {
    const [, , entries] = JSON.parse(key) as [string, Topic, [string, unknown][]];
    return liveSession.follow({ estate, topic, params: Object.fromEntries(entries) });
  }, [key, estate, topic]);
  return useLiveStore((store) => store.topics[key]);
}

/** Has topics followed whole, for what `live` of the store is put together from. */
export function useFollowed(estate: string, topics: readonly Topic[]): void {
  const names = topics.join(' ');
  useEffect(() => {
    const stops = names.split(' ').map((topic) => liveSession.follow({ estate, topic: topic as Topic, params: {} }));
    return () => {
      stops.forEach((stop) => {
        stop();
      });
    };
  }, [estate, names]);
}
