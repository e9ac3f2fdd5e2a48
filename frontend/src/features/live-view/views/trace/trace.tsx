import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';

import { LiveTable } from '../../frame/live-table';
import type { Looks } from '../../frame/looks';
import { useLiveList } from '../../frame/use-live-list';
import { instanceLook, placeOf, textOf } from '../common';

/** The newest events as SQL Trace would show them. */
export default function TraceView() {
  const { t } = useTranslation('views');
  const list = useLiveList({ topic: 'trace' });
  const looks = useMemo(
    (): Looks => ({
      instance_name: instanceLook(t),
      EventSequence: { isSortable: true, width: 128 },
      EventClass: {},
      EventClassName: { title: t('ours.eventClass'), width: 240, isSortable: true },
      EventSubClassName: { title: t('ours.eventSubClass'), width: 220 },
      columns: { title: t('ours.traceColumns'), width: 560 },
    }),
    [t],
  );
  return (
    <LiveTable
      label={t('views.trace')}
      list={list}
      looks={looks}
      empty={<EmptyState>{t('trace.empty')}</EmptyState>}
      drawer={(row, read) => ({ kind: t('trace.one'), name: textOf(row, read, 'EventClassName'), place: placeOf(row, read) })}
    />
  );
}
