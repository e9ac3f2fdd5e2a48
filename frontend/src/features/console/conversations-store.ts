// The dialogs that were begun from this browser. Their state is not kept here: it is what the live view says.
import { create } from 'zustand';
import { persist } from 'zustand/middleware';

import type { DatabasePath } from '@/topology/selection';

export type OwnConversation = DatabasePath & {
  handle: string;
  fromService: string;
  toService: string;
  contract: string;
};

type ConversationsStore = { own: Readonly<Record<string, readonly OwnConversation[]>> };

const kept = 50;

export const useConversationsStore = create<ConversationsStore>()(
  persist((): ConversationsStore => ({ own: {} }), { name: 'brokerweb.conversations' }),
);

export function remember(estate: string, conversation: OwnConversation): void {
  useConversationsStore.setState(({ own }) => ({
    own: { ...own, [estate]: [conversation, ...(own[estate] ?? [])].slice(0, kept) },
  }));
}

export function forget(estate: string, handle: string): void {
  useConversationsStore.setState(({ own }) => ({
    own: { ...own, [estate]: (own[estate] ?? []).filter((one) => one.handle !== handle) },
  }));
}
