import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';

import { TransmissionStatus } from '../components/cells';
import { LiveTable } from '../frame/live-table';
import type { Looks } from '../frame/looks';
import { useLiveList } from '../frame/use-live-list';
import { placeLooks, placeOf, textOf } from './common';

/** What waits to be sent or acknowledged: sys.transmission_queue. */
export default function TransmissionsView() {
  const { t } = useTranslation('views');
  const list = useLiveList({ topic: 'transmissions', findsText: true, findsDatabase: true });
  const looks = useMemo(
    (): Looks => ({
      ...placeLooks(t),
      from_service_name: { isSortable: true },
      to_service_name: { isSortable: true },
      message_sequence_number: { width: 108 },
      message_type_name: { isSortable: true, width: 150 },
      enqueue_time: { shape: 'age', isSortable: true, width: 150 },
      transmission_status: {
        width: 300,
        cell: (_, row, read) => (
          <TransmissionStatus number={read(row, 'transmission_status_number') as number | null} text={textOf(row, read, 'transmission_status')} />
        ),
      },
      message_body_bytes: { title: t('ours.bytes'), isSortable: true, width: 90 },
      conversation_handle: { term: 'conversationHandle' },
    }),
    [t],
  );
  return (
    <LiveTable
      label={t('views.transmission-queues')}
      list={list}
      looks={looks}
      hasDatabases
      empty={<EmptyState>{t('transmissions.empty')}</EmptyState>}
      drawer={(row, read) => ({ kind: t('transmissions.one'), name: textOf(row, read, 'to_service_name'), place: placeOf(row, read) })}
    />
  );
}
