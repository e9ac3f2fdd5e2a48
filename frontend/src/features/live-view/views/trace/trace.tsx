import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import type { TopicParams } from '@/contracts/live-messages';
import { numberText } from '@/i18n';
import { classGroups, groupNames, newestFirst, tracePlaces } from '@/live/grid/trace';

import gridClasses from '../../frame/grid.module.css';
import { LiveTable } from '../../frame/live-table';
import { useLiveList, type LiveList } from '../../frame/use-live-list';
import { useViewQuery } from '../../frame/use-view-query';
import { placeOf, textOf } from '../common';
import { TraceDetails } from './details';
import { useTraceFacets } from './facets';
import { useTraceLooks } from './looks';

/** The newest events as SQL Trace would show them, the newest first. */
export default function TraceView() {
  const { t } = useTranslation('views');
  const chosen = useViewQuery().chosen('events').join(' ');
  const params = useMemo((): TopicParams => {
    const classes = groupNames
      .filter((group) => chosen.split(' ').includes(group))
      .flatMap((group) => [...classGroups[group]]);
    return classes.length === 0 ? {} : { classes };
  }, [chosen]);
  const list = useLiveList({ topic: 'trace', params, order: newestFirst, added: tracePlaces });
  const facets = useTraceFacets();
  const looks = useTraceLooks();
  return (
    <LiveTable
      label={t('views.trace')}
      list={list}
      looks={looks}
      facets={facets}
      above={<Skipped list={list} />}
      empty={<EmptyState>{t('trace.empty')}</EmptyState>}
      drawer={(row, read) => ({
        kind: t('trace.one'),
        name: textOf(row, read, 'EventClassName'),
        place: placeOf(row, read),
        details: <TraceDetails row={row} read={read} />,
      })}
    />
  );
}

/** Events that came faster than anybody reads: that they are not shown is said. */
function Skipped({ list }: { list: LiveList }) {
  const { t } = useTranslation('views');
  const skipped = Object.values(list.topic?.table.facts ?? {}).reduce<number>(
    (sum, fact) => sum + ((fact as { skipped?: number }).skipped ?? 0),
    0,
  );
  return skipped === 0 ? null : (
    <p className={gridClasses.strip}>{t('trace.skipped', { count: skipped, number: numberText(skipped) })}</p>
  );
}
