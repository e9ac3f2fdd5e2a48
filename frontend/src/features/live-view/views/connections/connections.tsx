import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';

import { LiveTable } from '../../frame/live-table';
import type { Looks } from '../../frame/looks';
import { useLiveList } from '../../frame/use-live-list';
import { instanceLook, placeOf, textOf } from '../common';

/** Connections between instances, and addresses to which there is none: sys.dm_broker_connections. */
export default function ConnectionsView() {
  const { t } = useTranslation('views');
  const list = useLiveList({ topic: 'connections' });
  const looks = useMemo(
    (): Looks => ({
      instance_name: instanceLook(t),
      address: { title: t('ours.address'), isSortable: true },
      peer_instance: { title: t('ours.peer'), isSortable: true, width: 104 },
      state_desc: { isSortable: true, width: 120 },
      login_state_desc: { width: 150 },
      is_accept: {},
      authentication_method: { width: 160 },
      encryption_algorithm_desc: {},
      connect_time: { shape: 'age' },
      last_activity_time: { shape: 'age', isSortable: true },
      total_bytes_sent: {},
      total_bytes_received: {},
      error: { title: t('ours.error'), isSortable: true },
      detail: { title: t('ours.detail') },
    }),
    [t],
  );
  return (
    <LiveTable
      label={t('views.connections')}
      list={list}
      looks={looks}
      empty={<EmptyState>{t('connections.empty')}</EmptyState>}
      drawer={(row, read) => ({
        kind: t('connections.one'),
        name: textOf(row, read, 'address') || textOf(row, read, 'peer_instance'),
        place: placeOf(row, read),
      })}
    />
  );
}
