import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import type { QueueMessage } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { useAbsoluteTime } from '@/lib/time';
import { shortId } from '@/topology/words';

import classes from './console-panel.module.css';

/** Messages of a queue in the order in which they are received; bodies for as long as the person may read them. */
export function MessageList({ heading, messages }: { heading: string; messages: readonly QueueMessage[] }) {
  const { t } = useTranslation(['console', 'account']);
  const timeText = useAbsoluteTime();
  const missing = useMissingRight('read-payloads');
  return (
    <div>
      <h3 role="status">{heading}</h3>
      {messages.length === 0 && <p className={classes.none}>{t('message.noneReady')}</p>}
      {messages.map((message) => (
        <article key={message.queuing_order} className={classes.message}>
          <header>
            <span className={classes.number} title="message_sequence_number">
              {message.message_sequence_number}
            </span>
            <span className={classes.type} title={message.message_type_name}>
              {message.message_type_name}
            </span>
            <span
              className={classes.aside}
              title={`${message.conversation_handle}, ${timeText(Date.parse(message.message_enqueue_time))}`}
            >
              {message.status === 2
                ? t('message.early', { id: shortId(message.conversation_handle) })
                : shortId(message.conversation_handle)}
            </span>
          </header>
          {message.message_body_withheld !== null && (
            <p className={classes.none}>
              <Badge verdict="unknown">
                {t('account:withheld', { count: message.message_body_bytes, right: message.message_body_withheld })}
              </Badge>
            </p>
          )}
          {message.message_body !== null &&
            (missing === null ? (
              <pre className={classes.body}>{message.message_body}</pre>
            ) : (
              <p className={classes.none}>{missing}</p>
            ))}
          {missing === null &&
            message.message_body !== null &&
            message.message_body_shown_bytes < message.message_body_bytes && (
              <p className={classes.none}>
                {t('message.cut', { shown: message.message_body_shown_bytes, count: message.message_body_bytes })}
              </p>
            )}
          {missing === null && message.message_body_encoding === 'hex' && (
            <p className={classes.none}>{t('message.hexadecimal', { count: message.message_body_bytes })}</p>
          )}
        </article>
      ))}
    </div>
  );
}
