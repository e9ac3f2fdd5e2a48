import { Autocomplete, NumberInput, Progress, Textarea } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Estate } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { asProblem } from '@/lib/errors';
import { tellProblem } from '@/lib/notices';
import { messageTypeSuggestions } from '@/topology/suggestions';
import { counted } from '@/topology/words';

import { endConversation } from '../api/conversation-end';
import { bodiesMax, expandBodies } from '../bodies';
import { forget, type OwnConversation } from '../conversations-store';
import { useConversationNow } from '../use-conversation-now';
import { useSend } from '../use-send';
import classes from './console-panel.module.css';

/** SEND on a conversation, one message or a thousand, and END CONVERSATION. */
export function SendForm({ estate, conversation }: { estate: Estate; conversation: OwnConversation }) {
  const missing = useMissingRight('operate');
  const types = messageTypeSuggestions(estate, conversation, conversation.contract, true);
  const [messageType, setMessageType] = useState(types[0] ?? 'DEFAULT');
  const [body, setBody] = useState('<message number="{n}"/>');
  const [count, setCount] = useState<number | string>(1);
  const { send, sent } = useSend(estate.name, conversation);
  const { isGone } = useConversationNow(conversation, conversation.handle);
  const wanted = Math.min(bodiesMax, Math.max(1, Number(count) || 1));
  const barred = missing ?? (isGone ? 'The engine no longer has this conversation.' : null);

  return (
    <>
      <div className={classes.title}>
        <h3>Send</h3>
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
          label="Message type"
          data={types}
          value={messageType}
          onChange={setMessageType}
          spellCheck={false}
          classNames={{ input: classes.mono ?? '' }}
        />
        <Textarea
          label="Body"
          description="{n} becomes the number of the message."
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
          <NumberInput label="Count" w={110} min={1} max={bodiesMax} clampBehavior="strict" value={count} onChange={setCount} />
          <GuardedButton barred={barred} type="submit" size="sm" loading={send.isPending} leftSection={<IconSend size={15} />}>
            Send {counted(wanted, 'message')}
          </GuardedButton>
        </div>
        {send.isPending && wanted > 1 && (
          <Progress value={(sent / wanted) * 100} aria-label={`${sent} of ${wanted} messages are stored`} />
        )}
        <div role="status">
          {send.isSuccess && (
            <p className={classes.result}>
              {counted(send.data.count, 'message')} stored
              {send.data.count === 1
                ? `, sequence number ${send.data.first}.`
                : `, sequence numbers ${send.data.first} to ${send.data.last}.`}
            </p>
          )}
        </div>
        {send.isError && (
          <>
            {sent > 0 && (
              <p className={classes.result}>
                {sent} of {wanted} messages were stored before this happened:
              </p>
            )}
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
        Take off the list
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
      End conversation
    </GuardedButton>
  );
}
