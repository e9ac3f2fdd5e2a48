import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { connectionKind } from '@/live/grid/connections';
import type { GridRow, Read } from '@/live/grid/rows';

import { LiveTable } from '../../frame/live-table';
import { useLiveList } from '../../frame/use-live-list';
import { useViewQuery } from '../../frame/use-view-query';
import { placeOf, textOf } from '../common';
import { ConnectionDetails } from './details';
import { EndpointTable } from './endpoint-table';
import { useConnectionFacets } from './facets';
import { useConnectionLooks } from './looks';
import { useRates } from './use-rates';

/** Connections, and addresses to which there is none, below the endpoints that listen: sys.dm_broker_connections. */
export default function ConnectionsView() {
  const { t } = useTranslation('views');
  const chosen = useViewQuery().chosen('connection').join(' ');
  const narrowed = useMemo(() => {
    const kinds = new Set(chosen.split(' '));
    const passes = (row: GridRow, read: Read) => kinds.has(connectionKind(row, read));
    return chosen === '' ? undefined : { by: chosen, passes };
  }, [chosen]);
  const added = useRates();
  const list = useLiveList({ topic: 'connections', narrowed, added });
  const facets = useConnectionFacets(list);
  const looks = useConnectionLooks();
  return (
    <LiveTable
      label={t('views.connections')}
      list={list}
      looks={looks}
      facets={facets}
      above={<EndpointTable list={list} />}
      empty={<EmptyState>{t('connections.empty')}</EmptyState>}
      drawer={(row, read) => ({
        kind: t('connections.one'),
        name: textOf(row, read, 'address') || textOf(row, read, 'peer_instance'),
        place: placeOf(row, read),
        details: <ConnectionDetails row={row} read={read} />,
      })}
    />
  );
}
