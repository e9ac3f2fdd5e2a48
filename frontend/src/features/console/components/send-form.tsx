import { Autocomplete, Progress, Textarea } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { BoundedNumber, boundedNumber } from '@/components/ui/bounded-number';
import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Estate } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { asProblem } from '@/lib/errors';
import { tellProblem } from '@/lib/notices';
import { messageTypeSuggestions } from '@/topology/suggestions';

import { endConversation } from '../api/conversation-end';
import { bodiesMax, expandBodies } from '../bodies';
import { forget, type OwnConversation } from '../conversations-store';
import { useConversationNow } from '../use-conversation-now';
import { useSend } from '../use-send';
import classes from './console-panel.module.css';

/** SEND on a conversation, one message or a thousand, and END CONVERSATION. */
export function SendForm({ estate, conversation }: { estate: Estate; conversation: OwnConversation }) {
  const { t } = useTranslation(['console', 'components']);
  const missing = useMissingRight('operate');
  const types = messageTypeSuggestions(estate, conversation, conversation.contract, true);
  const [messageType, setMessageType] = useState(types[0] ?? 'DEFAULT');
  const [body, setBody] = useState('<message number="{n}"/>');
  const [count, setCount] = useState<number | string>(1);
  const { send, sent } = useSend(estate.name, conversation);
  const { isGone } = useConversationNow(conversation, conversation.handle);
  const typed = boundedNumber(count, 1, bodiesMax);
  const wanted = typed ?? 0;
  const barred = missing ?? (isGone ? t('send.gone') : typed === null ? t('components:boundsFirst') : null);

  return (
    <>
      <div className={classes.title}>
        <h3>{t('send.heading')}</h3>
        <EndButton estate={estate.name} conversation={conversation} barred={barred} />
      </div>
      <form
        className={classes.stack}
        onSubmit={(event) => {
          event.preventDefault();
          if (barred === null) {
            send.mutate({ messageType, bodies: expandBodies(body, wanted) });
          }
        }}
      >
        <Autocomplete
          label={t('send.messageType')}
          data={types}
          value={messageType}
          onChange={setMessageType}
          spellCheck={false}
          classNames={{ input: classes.mono ?? '' }}
        />
        <Textarea
          label={t('send.body')}
          description={t('send.bodyHint')}
          autosize
          minRows={2}
          maxRows={10}
          value={body}
          spellCheck={false}
          classNames={{ input: classes.mono ?? '' }}
          onChange={(event) => {
            setBody(event.currentTarget.value);
          }}
        />
        <div className={classes.row}>
          <BoundedNumber label={t('send.count')} w={110} min={1} max={bodiesMax} value={count} onChange={setCount} />
          <GuardedButton
            barred={barred}
            type="submit"
            size="sm"
            loading={send.isPending}
            leftSection={<IconSend size={15} />}
          >
            {t('send.submit', { count: typed ?? 1 })}
          </GuardedButton>
        </div>
        {send.isPending && wanted > 1 && (
          <Progress value={(sent / wanted) * 100} aria-label={t('send.progress', { sent, count: wanted })} />
        )}
        <div role="status">{send.isSuccess && <p className={classes.result}>{t('send.stored', send.data)}</p>}</div>
        {send.isError && (
          <>
            {sent > 0 && <p className={classes.result}>{t('send.storedBefore', { count: sent, wanted })}</p>}
            <ProblemPanel problem={asProblem(send.error)} />
          </>
        )}
      </form>
    </>
  );
}

type EndProps = { estate: string; conversation: OwnConversation; barred: string | null };

/** Ends this side of the conversation; one that the engine no longer has is only taken off the list. */
function EndButton({ estate, conversation, barred }: EndProps) {
  const { t } = useTranslation('console');
  const { isGone } = useConversationNow(conversation, conversation.handle);
  const end = useMutation({
    mutationFn: () => endConversation(estate, conversation, conversation.handle),
    onError: tellProblem,
  });
  if (isGone) {
    return (
      <GuardedButton
        barred={null}
        variant="default"
        onClick={() => {
          forget(estate, conversation.handle);
        }}
      >
        {t('send.forget')}
      </GuardedButton>
    );
  }
  return (
    <GuardedButton
      barred={barred}
      variant="default"
      loading={end.isPending}
      onClick={() => {
        end.mutate();
      }}
    >
      {t('send.end')}
    </GuardedButton>
  );
}
