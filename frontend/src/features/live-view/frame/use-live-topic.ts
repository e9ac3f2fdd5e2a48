import { useState } from 'react';

import type { Topic, TopicParams } from '@/contracts/live-messages';
import { useTopic } from '@/hooks/use-topics';
import { keyOf, type TopicState } from '@/live/streams';

export type Asked = {
  /** What is known of the topic; of the one before while this one has not come. */
  state: TopicState | undefined;
  /** Whether what is known answers another question than the one that is asked now. */
  isOld: boolean;
};

/**
 * Follows a topic; while other parameters have no answer yet, the rows of those before stay, so that the table does not
 * blink.
 */
export function useLiveTopic(estate: string, topic: Topic, params: TopicParams): Asked {
  const state = useTopic(estate, topic, params);
  const [before, keep] = useState<TopicState | undefined>(undefined);
  const isThere = state !== undefined && (state.seq > 0 || state.denied !== null);
  if (isThere && state !== before) {
    keep(state);
  }
  const isSameView = before?.estate === estate && before.topic === topic;
  return isThere || !isSameView
    ? { state, isOld: false }
    : { state: before, isOld: keyOf(before) !== keyOf({ estate, topic, params }) };
}
