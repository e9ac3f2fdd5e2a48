import { UnstyledButton } from '@mantine/core';

import { Badge } from '@/components/ui/badge';
import { EmptyState } from '@/components/ui/empty-state';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import { conversationStates } from '@/live/states';
import { counted, shortId } from '@/topology/words';

import type { OwnConversation } from '../conversations-store';
import { useConversationNow } from '../use-conversation-now';
import classes from './console-panel.module.css';

type Props = { conversations: readonly OwnConversation[]; chosen: string | null; onChoose: (handle: string) => void };

/** The dialogs begun from this browser, each with its state as it is now. */
export function ConversationList({ conversations, chosen, onChoose }: Props) {
  if (conversations.length === 0) {
    return <EmptyState>No dialog was begun from here yet.</EmptyState>;
  }
  return (
    <ul className={classes.list}>
      {conversations.map((conversation) => (
        <li key={conversation.handle}>
          <UnstyledButton
            className={classes.conversation}
            aria-pressed={conversation.handle === chosen}
            onClick={() => {
              onChoose(conversation.handle);
            }}
          >
            <span className={classes.parties}>
              <span className={classes.mono}>{conversation.fromService}</span>
              <span className={classes.mono}>→ {conversation.toService}</span>
            </span>
            <ConversationLine conversation={conversation} />
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}

function ConversationLine({ conversation }: { conversation: OwnConversation }) {
  const { endpoint, waiting, status, isGone } = useConversationNow(conversation, conversation.handle);
  return (
    <span className={classes.line}>
      {endpoint === null ? (
        <Badge verdict={isGone ? undefined : 'unknown'}>{isGone ? 'Gone' : 'Unknown'}</Badge>
      ) : (
        <Badge verdict={endpoint.state === 'CO' ? 'delivered' : endpoint.state === 'ER' ? 'error' : undefined}>
          {conversationStates[endpoint.state].word} · {endpoint.state}
        </Badge>
      )}
      <span>
        {conversation.instance} · {conversation.database}
      </span>
      {endpoint !== null && (
        <span title={endpoint.far_broker_instance ?? undefined}>
          far broker {endpoint.far_broker_instance === null ? 'not known yet' : shortId(endpoint.far_broker_instance)}
        </span>
      )}
      {waiting > 0 && <span>{counted(waiting, 'message')} to transmit</span>}
      {status !== '' && (
        <span className={classes.held}>
          <VerdictIcon verdict="delayed" size={14} />
          {status}
        </span>
      )}
    </span>
  );
}
