import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';

import { LiveTable } from '../../frame/live-table';
import type { Looks } from '../../frame/looks';
import { useLiveList } from '../../frame/use-live-list';
import { placeLooks, placeOf, textOf } from '../common';

/** Queues with their monitors and readers: sys.service_queues and sys.dm_broker_queue_monitors. */
export default function QueuesView() {
  const { t } = useTranslation('views');
  const list = useLiveList({ topic: 'queues', findsDatabase: true });
  const looks = useMemo(
    (): Looks => ({
      ...placeLooks(t),
      name: { term: 'queue', isSortable: true },
      is_receive_enabled: {},
      is_activation_enabled: { term: 'activation' },
      activation_procedure: {},
      max_readers: {},
      active_tasks: { title: t('ours.activeTasks'), isSortable: true },
      state: { isSortable: true, width: 170 },
      tasks_waiting: {},
      ready: { title: t('ours.ready'), isSortable: true },
      not_complete: { title: t('ours.notComplete') },
      retained: { title: t('ours.retained') },
      awaiting: { title: t('ours.awaiting'), isSortable: true },
      poisoned_at: { title: t('ours.poisonedAt'), term: 'poisonMessage', shape: 'age' },
    }),
    [t],
  );
  return (
    <LiveTable
      label={t('views.queues')}
      list={list}
      looks={looks}
      hasDatabases
      empty={<EmptyState>{t('queues.empty')}</EmptyState>}
      drawer={(row, read) => ({ kind: t('queues.one'), name: textOf(row, read, 'name'), place: placeOf(row, read) })}
    />
  );
}
