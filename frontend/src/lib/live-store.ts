// The page's one store of live values, written by the live session a few times a second and read by selectors.
import { create } from 'zustand';

import type { ConnectionState } from '@/live/connection';
import { emptyLive, type LiveState } from '@/live/reducer';

export type LiveStore = { connection: ConnectionState; live: LiveState };

export const useLiveStore = create<LiveStore>(() => ({ connection: { phase: 'idle' }, live: emptyLive }));
