import { useMutation } from '@tanstack/react-query';

import { BreakableName } from '@/components/ui/breakable-name';
import { CopyText } from '@/components/ui/copy-text';
import { GuardedButton } from '@/components/ui/guarded-button';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { QueueRow } from '@/contracts/live-messages';
import { useMissingRight } from '@/hooks/use-rights';
import { setQueueStatus } from '@/lib/api/queue-set-status';
import { tellDone, tellProblem } from '@/lib/notices';
import type { DatabasePath } from '@/topology/selection';
import { counted } from '@/topology/words';

import classes from './queue-notice.module.css';

type Props = {
  estate: string;
  path: DatabasePath;
  queue: QueueRow;
  /** Whether the topology wants the queue on. */
  isWanted: boolean;
};

/** A queue that is off: why, what that means, what to do, and the button that switches it on. */
export function QueueNotice({ estate, path, queue, isWanted }: Props) {
  const missing = useMissingRight('operate');
  const change = useMutation({
    mutationFn: () => setQueueStatus(estate, { ...path, queue: queue.name }, true),
    onSuccess: () => {
      tellDone(`${queue.name} of ${path.database} is on.`);
    },
    onError: tellProblem,
  });
  if (queue.is_enabled) {
    return null;
  }
  return (
    <div className={classes.notice} role="group" aria-label={`Queue ${queue.name} is off`}>
      <VerdictIcon verdict="lost" size={18} />
      <div className={classes.text}>
        <strong>{queue.poison === null ? `${queue.name} is off` : `${queue.name} was switched off by a poison message`}</strong>
        <Reason queue={queue} isWanted={isWanted} />
        <p>
          Nothing can be received from it (9617)
          {queue.awaiting === 0 ? '. What arrives waits' : `; ${counted(queue.awaiting, 'message')} that came meanwhile wait`} in the
          transmission queue of {path.database}.
        </p>
        <GuardedButton
          barred={missing}
          size="compact-sm"
          loading={change.isPending}
          aria-label={`Switch queue ${queue.name} on`}
          onClick={() => {
            change.mutate();
          }}
        >
          Switch on
        </GuardedButton>
      </div>
    </div>
  );
}

function Reason({ queue, isWanted }: { queue: QueueRow; isWanted: boolean }) {
  const { poison } = queue;
  if (poison === null) {
    return (
      <p>
        {isWanted
          ? 'The topology wants it on: somebody switched it off by hand, or a poison message did before the instance last started.'
          : 'The topology has it off.'}
      </p>
    );
  }
  return (
    <>
      <p>
        {poison.rollbacks} transactions in a row received from it and were rolled back. The last of them had{' '}
        {poison.message_sequence_number < 0 ? 'a message' : `message ${poison.message_sequence_number}`} of type{' '}
        <BreakableName>{poison.message_type_name}</BreakableName>.
      </p>
      <p className={classes.conversation}>
        Conversation <CopyText value={poison.conversation_handle} what="conversation handle" />
      </p>
      <p>
        Stop or mend its reader first: with the same reader the queue is soon off again. Then switch the queue on, receive the message by
        hand and end its conversation with an error.
      </p>
    </>
  );
}
