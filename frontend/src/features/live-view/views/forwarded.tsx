import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';

import { LiveTable } from '../frame/live-table';
import type { Looks } from '../frame/looks';
import { useLiveList } from '../frame/use-live-list';
import { instanceLook, placeOf, textOf } from './common';

/** Messages in transit through forwarders: sys.dm_broker_forwarded_messages. */
export default function ForwardedView() {
  const { t } = useTranslation('views');
  const list = useLiveList({ topic: 'forwarded' });
  const looks = useMemo(
    (): Looks => ({
      instance_name: instanceLook(t),
      conversation_id: { term: 'conversation' },
      is_initiator: {},
      from_service_name: { isSortable: true },
      to_service_name: { isSortable: true },
      adjacent_broker_address: { isSortable: true },
      message_sequence_number: {},
      hops_remaining: { isSortable: true },
      time_to_live: { isSortable: true },
      time_consumed: { isSortable: true },
      message_bytes: { title: t('ours.bytes'), isSortable: true },
    }),
    [t],
  );
  return (
    <LiveTable
      label={t('views.forwarded')}
      list={list}
      looks={looks}
      empty={<EmptyState>{t('forwarded.empty')}</EmptyState>}
      drawer={(row, read) => ({ kind: t('forwarded.one'), name: textOf(row, read, 'to_service_name'), place: placeOf(row, read) })}
    />
  );
}
