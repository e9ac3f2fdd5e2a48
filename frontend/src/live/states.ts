// The words for a conversation's state: what it means to the person who reads it.
import type { ConversationState } from '@/contracts/live-messages';

export const conversationStates: Record<ConversationState, { word: string; meaning: string }> = {
  SO: { word: 'STARTED_OUTBOUND', meaning: 'Begun here; the far side has not acknowledged anything yet.' },
  SI: { word: 'STARTED_INBOUND', meaning: 'A later message arrived before the first one.' },
  CO: { word: 'CONVERSING', meaning: 'Both sides know each other; either may send.' },
  DI: { word: 'DISCONNECTED_INBOUND', meaning: 'The far side has ended; this side has not yet.' },
  DO: { word: 'DISCONNECTED_OUTBOUND', meaning: 'This side has ended; the far side has not yet.' },
  CD: { word: 'CLOSED', meaning: 'Both sides have ended. A target keeps the row for a while, so that replayed messages are known.' },
  ER: { word: 'ERROR', meaning: 'The conversation ended with an error.' },
};
