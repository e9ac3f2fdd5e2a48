import { useShallow } from 'zustand/react/shallow';

import type { ConversationEndpointRow } from '@/live/instance-view';
import { useLiveStore } from '@/lib/live-store';
import type { LiveState } from '@/live/compose';
import type { DatabasePath } from '@/topology/selection';

export type ConversationNow = {
  /** The endpoint's row; null when there is none, or none is known. */
  endpoint: ConversationEndpointRow | null;
  /** Messages of it in the transmission queue, and the status that holds them. */
  waiting: number;
  status: string;
  /** Whether the missing row means that the endpoint is gone. */
  isGone: boolean;
};

export function conversationNow(live: LiveState, path: DatabasePath, handle: string): ConversationNow {
  const view = live.instances[path.instance]?.view?.databases.find((one) => one.name === path.database);
  const endpoint = view?.conversation_endpoints?.find((row) => row.conversation_handle === handle) ?? null;
  const rows = view?.transmission_queue?.filter((row) => row.conversation_handle === handle) ?? [];
  const isWhole = view?.conversation_endpoints_total === view?.conversation_endpoints?.length;
  return {
    endpoint,
    waiting: rows.length,
    status: rows.find((row) => row.transmission_status !== '')?.transmission_status ?? '',
    isGone: view !== undefined && endpoint === null && isWhole,
  };
}

/** A conversation as the engine has it now. */
export function useConversationNow(path: DatabasePath, handle: string): ConversationNow {
  return useLiveStore(useShallow(({ live }) => conversationNow(live, path, handle)));
}
