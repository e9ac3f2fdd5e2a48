import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { connectionKind, connectionKinds, type ConnectionKind } from '@/live/grid/connections';
import { gridRows } from '@/live/grid/rows';
import type { Verdict } from '@/theme/tokens';

import type { Facet } from '../../frame/facets';
import type { LiveList } from '../../frame/use-live-list';

export const connectionVerdicts: Partial<Record<ConnectionKind, Verdict>> = {
  failing: 'lost',
  login: 'delayed',
  up: 'delivered',
};

/** What connections are like, with how many of each. */
export function useConnectionFacets({ topic, read, isKnown }: LiveList): readonly Facet[] {
  const { t } = useTranslation('views');
  const table = topic?.table;
  return useMemo(() => {
    const kinds = table === undefined ? [] : gridRows(table).map((row) => connectionKind(row, read));
    const choices = connectionKinds.map((kind) => ({
      value: kind,
      label: t(`connections.kind.${kind}.word`),
      hint: t(`connections.kind.${kind}.meaning`),
      count: isKnown ? kinds.filter((one) => one === kind).length : null,
      verdict: connectionVerdicts[kind],
    }));
    return [{ name: 'connection', label: t('connections.kinds'), isMany: true, choices }];
  }, [table, read, isKnown, t]);
}
