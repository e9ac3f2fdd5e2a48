import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { EmptyState } from '@/components/ui/empty-state';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import { conversationStates } from '@/live/states';
import { shortId } from '@/topology/words';

import type { OwnConversation } from '../conversations-store';
import { useConversationNow } from '../use-conversation-now';
import classes from './console-panel.module.css';

type Props = { conversations: readonly OwnConversation[]; chosen: string | null; onChoose: (handle: string) => void };

/** The dialogs begun from this browser, each with its state as it is now. */
export function ConversationList({ conversations, chosen, onChoose }: Props) {
  const { t } = useTranslation('console');
  if (conversations.length === 0) {
    return <EmptyState>{t('conversations.none')}</EmptyState>;
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
  const { t } = useTranslation('console');
  const { endpoint, waiting, status, isGone } = useConversationNow(conversation, conversation.handle);
  return (
    <span className={classes.line}>
      {endpoint === null ? (
        <Badge verdict={isGone ? undefined : 'unknown'}>
          {isGone ? t('conversations.gone') : t('conversations.unknown')}
        </Badge>
      ) : (
        <Badge verdict={endpoint.state === 'CO' ? 'delivered' : endpoint.state === 'ER' ? 'error' : undefined}>
          {conversationStates[endpoint.state]} · {endpoint.state}
        </Badge>
      )}
      <span>
        {conversation.instance} · {conversation.database}
      </span>
      {endpoint !== null && (
        <span title={endpoint.far_broker_instance ?? undefined}>
          {endpoint.far_broker_instance === null
            ? t('conversations.farBrokerUnknown')
            : t('conversations.farBroker', { id: shortId(endpoint.far_broker_instance) })}
        </span>
      )}
      {waiting > 0 && <span>{t('conversations.waiting', { count: waiting })}</span>}
      {status !== '' && (
        <span className={classes.held}>
          <VerdictIcon verdict="delayed" size={14} />
          {status}
        </span>
      )}
    </span>
  );
}
