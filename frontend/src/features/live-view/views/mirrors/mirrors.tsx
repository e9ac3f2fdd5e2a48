import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';

import { LiveTable } from '../../frame/live-table';
import type { Looks } from '../../frame/looks';
import { useLiveList } from '../../frame/use-live-list';
import { instanceLook, placeOf, textOf } from '../common';

/** What each instance knows of the partners of its mirrored routes. */
export default function MirrorsView() {
  const { t } = useTranslation('views');
  const list = useLiveList({ topic: 'mirrors' });
  const looks = useMemo(
    (): Looks => ({
      instance_name: instanceLook(t),
      route: { title: t('ours.route'), term: 'route', isSortable: true },
      service_name: { title: t('ours.service'), isSortable: true },
      broker_instance: { term: 'brokerInstance' },
      address: { isSortable: true },
      address_state: { title: t('ours.addressState') },
      mirror_address: { term: 'mirrorAddress' },
      mirror_address_state: { title: t('ours.mirrorAddressState') },
      principal: { title: t('ours.principal'), term: 'principal' },
      state: { title: t('ours.state'), isSortable: true },
      detail: { title: t('ours.detail') },
    }),
    [t],
  );
  return (
    <LiveTable
      label={t('views.mirrors')}
      list={list}
      looks={looks}
      empty={<EmptyState>{t('mirrors.empty')}</EmptyState>}
      drawer={(row, read) => ({ kind: t('mirrors.one'), name: textOf(row, read, 'route'), place: placeOf(row, read) })}
    />
  );
}
