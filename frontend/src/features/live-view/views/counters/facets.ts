import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { gridRows } from '@/live/grid/rows';

import type { Facet } from '../../frame/facets';
import type { LiveList } from '../../frame/use-live-list';
import { textOf } from '../common';

/** The vendor's objects, with how many counters each has here. */
export function useCounterFacets({ topic, read }: LiveList): readonly Facet[] {
  const { t } = useTranslation('views');
  const table = topic?.table;
  return useMemo(() => {
    const counts = new Map<string, number>();
    for (const row of table === undefined ? [] : gridRows(table)) {
      const object = textOf(row, read, 'object_name');
      counts.set(object, (counts.get(object) ?? 0) + 1);
    }
    const choices = [...counts].map(([object, count]) => ({ value: object, label: object, count }));
    return [{ name: 'object', label: t('counters.objects'), isMany: true, choices }];
  }, [table, read, t]);
}
