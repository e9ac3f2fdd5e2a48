// The page's one store of live values, written by the live session a few times a second and read by selectors.
import { create } from 'zustand';

import type { Mode } from '@/contracts/live-messages';
import { emptyLive, type LiveState } from '@/live/compose';
import type { ConnectionState } from '@/live/connection';
import type { Topics } from '@/live/streams';

export type LiveStore = {
  connection: ConnectionState;
  mode: Mode;
  /** Whether the page asks over HTTP, and was answered last time. */
  isPolling: boolean;
  /** Whether somebody holds the tables still. */
  isPaused: boolean;
  /** How far the server's clock is ahead of this browser's, in milliseconds; ages are reckoned by it. */
  clockAheadMilliseconds: number;
  /** What is followed, by `keyOf`. */
  topics: Topics;
  /** The estate whose pages are open, put together from the topics. */
  live: LiveState;
};

export const useLiveStore = create<LiveStore>(() => ({
  connection: { phase: 'idle' },
  mode: 'live',
  isPolling: false,
  isPaused: false,
  clockAheadMilliseconds: 0,
  topics: {},
  live: emptyLive,
}));
