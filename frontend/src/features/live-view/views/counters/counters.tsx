import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import type { Added } from '@/live/grid/added';
import { counterOf, figuresOf, unitOf } from '@/live/grid/counters';
import type { History } from '@/live/grid/history';
import type { GridRow, Read } from '@/live/grid/rows';

import { useHistory } from '../../frame/plot/use-history';
import { LiveTable } from '../../frame/live-table';
import { useLiveList } from '../../frame/use-live-list';
import { useViewQuery } from '../../frame/use-view-query';
import { placeOf, textOf } from '../common';
import { Charts } from './charts';
import { CounterDetails } from './details';
import { useCounterFacets } from './facets';
import { useCounterLooks } from './looks';
import { watchedCounters } from './watched';

const columns = [
  { name: 'figure', type: 'float', isVendors: false },
  { name: 'unit', type: 'sysname', isVendors: false },
];

/**
 * Performance counters as charts of the last minutes, and as a table of the same figures:
 * sys.dm_os_performance_counters.
 */
export default function CountersView() {
  const { t } = useTranslation('views');
  const chosen = useViewQuery().chosen('object').join('~');
  const narrowed = useMemo(() => {
    const objects = new Set(chosen.split('~'));
    const passes = (row: GridRow, read: Read) => objects.has(textOf(row, read, 'object_name'));
    return chosen === '' ? undefined : { by: chosen, passes };
  }, [chosen]);
  const history = useHistory(watchedCounters);
  const added = useFigures(history);
  const list = useLiveList({ topic: 'counters', narrowed, added });
  const facets = useCounterFacets(list);
  const looks = useCounterLooks();
  return (
    <LiveTable
      label={t('views.counters')}
      list={list}
      looks={looks}
      facets={facets}
      above={<Charts list={list} history={history} />}
      empty={<EmptyState>{t('counters.empty')}</EmptyState>}
      drawer={(row, read) => ({
        kind: textOf(row, read, 'object_name'),
        name: textOf(row, read, 'counter_name'),
        place: placeOf(row, read),
        details: <CounterDetails row={row} read={read} history={history} />,
      })}
    />
  );
}

/** The figures of now beside the values of the vendor, so that they are sorted and copied with them. */
function useFigures(history: History): Added {
  return useMemo(
    () => ({
      columns,
      cells: (row, read) => {
        const counter = counterOf(row, read);
        return [figuresOf(history, counter).at(-1) ?? null, unitOf(counter.name, counter.type)];
      },
    }),
    [history],
  );
}
