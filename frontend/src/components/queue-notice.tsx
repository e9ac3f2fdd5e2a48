import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { Term } from '@/components/glossary/term';
import { BreakableName } from '@/components/ui/breakable-name';
import { CopyText } from '@/components/ui/copy-text';
import { GuardedButton } from '@/components/ui/guarded-button';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { QueueRow } from '@/live/instance-view';
import { useMissingRight } from '@/hooks/use-rights';
import { setQueueStatus } from '@/lib/api/queue-set-status';
import { tellDone, tellProblem } from '@/lib/notices';
import type { DatabasePath } from '@/topology/selection';

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
  const { t } = useTranslation('components');
  const missing = useMissingRight('operate');
  const change = useMutation({
    mutationFn: () => setQueueStatus(estate, { ...path, queue: queue.name }, true),
    onSuccess: () => {
      tellDone(t('queue.isOn', { queue: queue.name, database: path.database }));
    },
    onError: tellProblem,
  });
  if (queue.is_enabled) {
    return null;
  }
  return (
    <div className={classes.notice} role="group" aria-label={t('queue.label', { queue: queue.name })}>
      <VerdictIcon verdict="lost" size={18} />
      <div className={classes.text}>
        <strong>
          {queue.poison === null ? (
            t('queue.isOff', { queue: queue.name })
          ) : (
            <Term name="poisonMessage">{t('queue.isPoisoned', { queue: queue.name })}</Term>
          )}
        </strong>
        <Reason queue={queue} isWanted={isWanted} />
        <p>{t('queue.consequence', { awaiting: queue.awaiting, database: path.database })}</p>
        <GuardedButton
          barred={missing}
          size="compact-sm"
          loading={change.isPending}
          aria-label={t('queue.switchOnNamed', { queue: queue.name })}
          onClick={() => {
            change.mutate();
          }}
        >
          {t('queue.switchOn')}
        </GuardedButton>
      </div>
    </div>
  );
}

function Reason({ queue, isWanted }: { queue: QueueRow; isWanted: boolean }) {
  const { t } = useTranslation('components');
  const { poison } = queue;
  if (poison === null) {
    return <p>{t(isWanted ? 'queue.offByHand' : 'queue.offByDefinition')}</p>;
  }
  const { rollbacks, message_type_name: type, message_sequence_number: number } = poison;
  return (
    <>
      <p>
        <BreakableName>
          {number < 0
            ? t('queue.poisonUnnumbered', { rollbacks, type })
            : t('queue.poison', { rollbacks, type, number })}
        </BreakableName>
      </p>
      <p className={classes.conversation}>
        {t('queue.conversation')} <CopyText value={poison.conversation_handle} what="conversation handle" />
      </p>
      <p>{t('queue.cure')}</p>
    </>
  );
}
