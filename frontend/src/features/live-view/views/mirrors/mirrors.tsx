import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { useEstatePage } from '@/hooks/use-estate-page';
import { gridRows } from '@/live/grid/rows';
import { mirrorPairs } from '@/live/grid/mirror-pairs';

import { LiveTable } from '../../frame/live-table';
import { useLiveList } from '../../frame/use-live-list';
import { placeOf, textOf } from '../common';
import { MirrorDetails } from './details';
import { useMirrorLooks } from './looks';
import { PairCards } from './pair-cards';
import { definedRoutes } from './routes';

/** Mirrored pairs as cards, and below what each instance knows of the partners of its mirrored routes. */
export default function MirrorsView() {
  const { t } = useTranslation('views');
  const estate = useEstatePage();
  const list = useLiveList({ topic: 'mirrors' });
  const looks = useMirrorLooks();
  const { topic, read, sources } = list;
  const routes = useMemo(() => definedRoutes(estate.instances), [estate.instances]);
  const pairs = useMemo(
    () => mirrorPairs(routes, topic === undefined ? [] : gridRows(topic.table), read, sources),
    [routes, topic, read, sources],
  );
  return (
    <LiveTable
      label={t('views.mirrors')}
      list={list}
      looks={looks}
      above={<PairCards pairs={pairs} read={read} />}
      empty={<EmptyState>{t(pairs.length === 0 ? 'mirrors.empty' : 'mirrors.unused')}</EmptyState>}
      drawer={(row, readCell) => ({
        kind: t('mirrors.one'),
        name: textOf(row, readCell, 'route'),
        place: placeOf(row, readCell),
        details: <MirrorDetails row={row} read={readCell} />,
      })}
    />
  );
}
