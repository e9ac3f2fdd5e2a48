import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { useInstancesNow } from '@/hooks/use-now';
import type { GridRow, Read } from '@/live/grid/rows';
import { queueKind } from '@/live/grid/queues';

import { LiveTable } from '../../frame/live-table';
import { useLiveList } from '../../frame/use-live-list';
import { useViewQuery } from '../../frame/use-view-query';
import { placeOf, textOf } from '../common';
import { QueueDetails } from './details';
import { useQueueFacets } from './facets';
import { useQueueLooks } from './looks';

/** Queues with their monitors and readers: sys.service_queues and sys.dm_broker_queue_monitors. */
export default function QueuesView() {
  const { t } = useTranslation('views');
  const chosen = useViewQuery().chosen('kind').join(' ');
  const now = useInstancesNow() / 1000;
  // A minute is near enough: what is a matter of time here is one of minutes.
  const minute = Math.floor(now / 60) * 60;
  const narrowed = useMemo(() => {
    const kinds = new Set(chosen.split(' '));
    const passes = (row: GridRow, read: Read) => kinds.has(queueKind(row, read, minute));
    return chosen === '' ? undefined : { by: chosen, passes };
  }, [chosen, minute]);
  const list = useLiveList({ topic: 'queues', findsDatabase: true, narrowed });
  const facets = useQueueFacets(list, minute);
  const looks = useQueueLooks();
  return (
    <LiveTable
      label={t('views.queues')}
      list={list}
      looks={looks}
      facets={facets}
      hasDatabases
      empty={<EmptyState>{t('queues.empty')}</EmptyState>}
      drawer={(row, read) => ({
        kind: t('queues.one'),
        name: textOf(row, read, 'queue_name'),
        place: placeOf(row, read),
        details: <QueueDetails row={row} read={read} />,
      })}
    />
  );
}
