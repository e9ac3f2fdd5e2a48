import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useTopic } from '@/hooks/use-topics';
import { classGroups, groupNames, isFault } from '@/live/grid/trace';

import type { Facet } from '../../frame/facets';

/** Groups of event classes, with how many of the newest events are of each. */
export function useTraceFacets(): readonly Facet[] {
  const { t } = useTranslation('views');
  // The events of all classes, whatever is chosen.
  const topic = useTopic(useEstatePage().name, 'trace');
  const table = topic?.table;
  return useMemo(() => {
    const place = (wanted: string) => table?.columns.findIndex(({ name }) => name === wanted) ?? -1;
    const [at, filled] = [place('EventClass'), place('columns')];
    const events = table === undefined || at < 0 ? null : table.rows;
    const choices = groupNames.map((group) => ({
      value: group,
      label: t(`trace.groups.${group}.word`),
      hint: t(`trace.groups.${group}.meaning`),
      count:
        events?.filter((cells) =>
          group === 'faults'
            ? isFault(cells[at], cells[filled])
            : classGroups[group].some((number) => number === cells[at]),
        ).length ?? null,
      verdict: group === 'faults' ? ('error' as const) : undefined,
    }));
    return [{ name: 'events', label: t('trace.events'), isMany: true, choices }];
  }, [table, t]);
}
