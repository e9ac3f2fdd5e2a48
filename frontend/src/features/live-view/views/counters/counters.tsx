import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';

import { LiveTable } from '../../frame/live-table';
import type { Looks } from '../../frame/looks';
import { useLiveList } from '../../frame/use-live-list';
import { instanceLook, placeOf, textOf } from '../common';

/** Performance counters, read once a second: sys.dm_os_performance_counters. */
export default function CountersView() {
  const { t } = useTranslation('views');
  const list = useLiveList({ topic: 'counters' });
  const looks = useMemo(
    (): Looks => ({
      instance_name: instanceLook(t),
      object_name: { shape: 'name', width: 260, isSortable: true },
      counter_name: { shape: 'name', width: 280, isSortable: true },
      'instance_name/vendor': { shape: 'name', isSortable: true },
      cntr_value: { isSortable: true, width: 130 },
    }),
    [t],
  );
  return (
    <LiveTable
      label={t('views.counters')}
      list={list}
      looks={looks}
      empty={<EmptyState>{t('counters.empty')}</EmptyState>}
      drawer={(row, read) => ({ kind: textOf(row, read, 'object_name'), name: textOf(row, read, 'counter_name'), place: placeOf(row, read) })}
    />
  );
}
