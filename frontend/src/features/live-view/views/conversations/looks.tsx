import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useInstancesNow } from '@/hooks/use-now';
import { closedKind, stateOf } from '@/live/grid/conversations';
import type { GridRow, Read } from '@/live/grid/rows';

import { State } from '../../components/cells';
import gridClasses from '../../frame/grid.module.css';
import type { Looks } from '../../frame/looks';
import { placeLooks } from '../common';

export function useConversationLooks(): Looks {
  const { t } = useTranslation('views');
  return useMemo(
    () => ({
      ...placeLooks(t),
      is_initiator: {
        width: 86,
        cell: (value) => (value ? t('conversations.initiator') : t('conversations.target')),
        shape: 'text',
      },
      service_name: { title: t('ours.service'), isSortable: true, width: 200 },
      far_service: { isSortable: true, width: 200 },
      state: { width: 246, cell: (_, row, read) => <StateCell row={row} read={read} />, isSortable: true },
      send_sequence: { isSortable: true, width: 118, hint: t('conversations.sendHint') },
      receive_sequence: { isSortable: true, width: 136, hint: t('conversations.receiveHint') },
      waiting_messages: { title: t('ours.waiting'), isSortable: true, width: 84, hint: t('conversations.waitingHint') },
      ends_at: {
        title: t('ours.endsIn'),
        shape: 'until',
        isSortable: true,
        width: 136,
        hint: t('conversations.endsHint'),
      },
      conversation_id: { width: 124, term: 'conversation' },
      conversation_handle: { width: 150, term: 'conversationHandle' },
      transmission_status_number: { title: t('ours.statusNumber'), shape: 'text', width: 90, isHidden: true },
    }),
    [t],
  );
}

/** The state, and what a closed one waits for: by design, or because nobody has ended it. */
function StateCell({ row, read }: { row: GridRow; read: Read }) {
  const { t } = useTranslation('views');
  const now = useInstancesNow();
  const state = stateOf(row, read);
  const kind = closedKind(row, read, now / 1000);
  return (
    <>
      {state !== null && <State state={state} />}
      {kind !== null && <span className={gridClasses.word}>{t(`conversations.closedShort.${kind}`)}</span>}
    </>
  );
}
