import type { QueueMessage } from '@/contracts/api';
import { absoluteTime } from '@/lib/time';
import { counted, shortId } from '@/topology/words';

import classes from './console-panel.module.css';

/** Messages of a queue in the order in which they are received. */
export function MessageList({ heading, messages }: { heading: string; messages: readonly QueueMessage[] }) {
  return (
    <div>
      <h3 role="status">{heading}</h3>
      {messages.length === 0 && <p className={classes.none}>The queue has no message that is ready.</p>}
      {messages.map((message) => (
        <article key={message.queuing_order} className={classes.message}>
          <header>
            <span className={classes.number} title="message_sequence_number">
              {message.message_sequence_number}
            </span>
            <span className={classes.type} title={message.message_type_name}>
              {message.message_type_name}
            </span>
            <span className={classes.aside} title={`${message.conversation_handle}, ${absoluteTime(Date.parse(message.message_enqueue_time))}`}>
              {shortId(message.conversation_handle)}
              {message.status === 2 && ' · arrived early'}
            </span>
          </header>
          {message.message_body !== null && <pre className={classes.body}>{message.message_body}</pre>}
          {message.message_body_encoding === 'hex' && (
            <p className={classes.none}>{counted(message.message_body_bytes, 'byte')}, in hexadecimal</p>
          )}
        </article>
      ))}
    </div>
  );
}
