import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { queueCounts, queueKinds, type QueueKind } from '@/live/grid/queues';
import { gridRows } from '@/live/grid/rows';
import type { Verdict } from '@/theme/tokens';

import type { Facet } from '../../frame/facets';
import type { LiveList } from '../../frame/use-live-list';

/** Kinds that ask for a look. */
export const queueVerdicts: Partial<Record<QueueKind, Verdict>> = {
  poisoned: 'lost',
  off: 'lost',
  failing: 'error',
  stuck: 'delayed',
  full: 'delayed',
  unwatched: 'delayed',
  unread: 'delayed',
};

/** What queues are like, with how many of each; those that nobody asks for, while there are none, stay away. */
export function useQueueFacets({ topic, read, isKnown, query }: LiveList, now: number): readonly Facet[] {
  const { t } = useTranslation('views');
  const table = topic?.table;
  const chosen = query.chosen('kind').join(' ');
  return useMemo(() => {
    const counts = table === undefined ? new Map<QueueKind, number>() : queueCounts(gridRows(table), read, now);
    const shown = queueKinds.filter(
      (kind) => (counts.get(kind) ?? 0) > 0 || chosen.split(' ').includes(kind) || kind === 'off',
    );
    const choices = shown.map((kind) => ({
      value: kind,
      label: t(`queues.kind.${kind}.word`),
      hint: t(`queues.kind.${kind}.meaning`),
      count: isKnown ? (counts.get(kind) ?? 0) : null,
      verdict: queueVerdicts[kind],
    }));
    return [{ name: 'kind', label: t('queues.kinds'), isMany: true, choices }];
  }, [table, read, now, isKnown, chosen, t]);
}
