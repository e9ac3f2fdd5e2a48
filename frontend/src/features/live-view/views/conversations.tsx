import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';

import { LiveTable } from '../frame/live-table';
import type { Looks } from '../frame/looks';
import { useLiveList } from '../frame/use-live-list';
import { placeLooks, placeOf, textOf } from './common';

/** Both sides of conversations: sys.conversation_endpoints. */
export default function ConversationsView() {
  const { t } = useTranslation('views');
  const list = useLiveList({ topic: 'conversations', findsText: true, findsDatabase: true });
  const looks = useMemo(
    (): Looks => ({
      ...placeLooks(t),
      is_initiator: {},
      service_name: { title: t('ours.service'), isSortable: true },
      far_service: { isSortable: true },
      state: {},
      send_sequence: { isSortable: true },
      receive_sequence: { isSortable: true },
      lifetime: { shape: 'until', isSortable: true },
      conversation_id: { term: 'conversation' },
    }),
    [t],
  );
  return (
    <LiveTable
      label={t('views.conversations')}
      list={list}
      looks={looks}
      hasDatabases
      empty={<EmptyState>{t('conversations.empty')}</EmptyState>}
      drawer={(row, read) => ({ kind: t('conversations.one'), name: textOf(row, read, 'service_name'), place: placeOf(row, read) })}
    />
  );
}
