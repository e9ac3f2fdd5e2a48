import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useTopic } from '@/hooks/use-topics';
import { classGroups, groupNames } from '@/live/grid/trace';

import type { Facet } from '../../frame/facets';

/** Groups of event classes, with how many of the newest events are of each. */
export function useTraceFacets(): readonly Facet[] {
  const { t } = useTranslation('views');
  // The events of all classes, whatever is chosen.
  const topic = useTopic(useEstatePage().name, 'trace');
  const table = topic?.table;
  return useMemo(() => {
    const at = table?.columns.findIndex(({ name }) => name === 'EventClass') ?? -1;
    const classes = table === undefined || at < 0 ? null : table.rows.map((cells) => cells[at]);
    const choices = groupNames.map((group) => ({
      value: group,
      label: t(`trace.groups.${group}.word`),
      hint: t(`trace.groups.${group}.meaning`),
      count: classes?.filter((one) => classGroups[group].some((number) => number === one)).length ?? null,
      verdict: group === 'faults' ? ('error' as const) : undefined,
    }));
    return [{ name: 'events', label: t('trace.events'), isMany: true, choices }];
  }, [table, t]);
}
