// The words for a conversation's state: the vendor's, and what they mean to the person who reads them.
import type { ConversationState } from './instance-view';
import { i18n } from '@/i18n';

/** `state_desc` of sys.conversation_endpoints, the same in every language. */
export const conversationStates: Readonly<Record<ConversationState, string>> = {
  SO: 'STARTED_OUTBOUND',
  SI: 'STARTED_INBOUND',
  CO: 'CONVERSING',
  DI: 'DISCONNECTED_INBOUND',
  DO: 'DISCONNECTED_OUTBOUND',
  CD: 'CLOSED',
  ER: 'ERROR',
};

export function stateMeaning(state: ConversationState): string {
  return i18n.t(`live:conversation.${state}`);
}
