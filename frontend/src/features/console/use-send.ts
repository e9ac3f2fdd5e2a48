import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { sendMessages } from './api/messages-send';
import { batchesOf } from './bodies';
import type { OwnConversation } from './conversations-store';

export type SendRequest = { messageType: string; bodies: readonly string[] };

/** Sends many messages in order, a batch a request; `sent` tells how far it came, also when it failed on the way. */
export function useSend(estate: string, conversation: OwnConversation) {
  const [sent, setSent] = useState(0);
  const send = useMutation({
    mutationFn: async ({ messageType, bodies }: SendRequest) => {
      setSent(0);
      const type = messageType === 'DEFAULT' ? null : messageType;
      let first: number | null = null;
      let last = 0;
      let count = 0;
      for (const batch of batchesOf(bodies)) {
        const answer = await sendMessages(estate, conversation, {
          handle: conversation.handle,
          messageType: type,
          bodies: batch,
        });
        first ??= answer.first_sequence_number;
        last = answer.last_sequence_number;
        count += answer.count;
        setSent(count);
      }
      return { first: first ?? 0, last, count };
    },
  });
  return { send, sent };
}
