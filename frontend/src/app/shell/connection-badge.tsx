import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useShallow } from 'zustand/react/shallow';

import { useLiveStore } from '@/lib/live-store';
import { livenessOf, livenessWords, refusalWords, type Liveness } from '@/live/liveness';

import classes from './connection-badge.module.css';

/** Whether what is shown of these instances is what is so. */
export function useLiveness(instances: readonly string[]): Liveness {
  return useLiveStore((store) => livenessOf(store, instances));
}

/** The state of the connection in a word, and in a sentence for who asks. */
export function ConnectionBadge({ instances }: { instances: readonly string[] }) {
  const { t } = useTranslation('shell');
  const { state, retry, reason } = useLiveStore(
    useShallow((store) => ({
      state: livenessOf(store, instances),
      retry: store.connection.phase === 'waiting' ? Math.ceil(store.connection.retryMilliseconds / 1000) : null,
      reason: store.connection.phase === 'refused' ? refusalWords(store.connection.reason) : null,
    })),
  );
  return <LivenessBadge state={state} note={retry === null ? reason : t('connection.retry', { seconds: retry })} />;
}

export function LivenessBadge({ state, note }: { state: Liveness; note: string | null }) {
  const { t } = useTranslation('shell');
  const { word, meaning } = livenessWords(state);
  return (
    <Tooltip label={note === null ? meaning : `${meaning} ${note}`} multiline maw={320}>
      <span className={classes.badge} data-state={state} role="status" aria-label={t('connection.label', { word })}>
        <span className={classes.dot} aria-hidden />
        {word}
      </span>
    </Tooltip>
  );
}
