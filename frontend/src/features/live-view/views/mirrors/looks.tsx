import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { Hint } from '@/components/ui/hint';
import { reasonOf, troublesome } from '@/live/grid/mirror-pairs';
import type { GridRow, Read } from '@/live/grid/rows';

import type { Looks } from '../../frame/looks';
import { instanceLook } from '../common';
import { partnerCell } from './partner-word';

export function useMirrorLooks(): Looks {
  const { t } = useTranslation('views');
  return useMemo(
    () => ({
      instance_name: { ...instanceLook(t), title: t('mirrors.seenFrom') },
      service_name: { title: t('ours.service'), isSortable: true },
      state: {
        title: t('ours.state'),
        isSortable: true,
        width: 190,
        cell: (_, row, read) => <PairState row={row} read={read} />,
      },
      address: { title: t('ours.address'), isSortable: true, width: 160 },
      address_state: { title: t('ours.addressState'), width: 140, cell: partnerCell },
      mirror_address: { title: t('mirrors.mirrorAddress'), term: 'mirrorAddress', width: 160 },
      mirror_address_state: { title: t('ours.mirrorAddressState'), width: 176, cell: partnerCell },
      principal: { title: t('ours.principal'), term: 'principal', width: 160 },
      principal_since: { title: t('mirrors.since'), shape: 'age', isSortable: true, width: 150 },
      changed_at: { title: t('mirrors.changed'), shape: 'age', isSortable: true, width: 150 },
      error: { title: t('ours.error'), shape: 'text', width: 84 },
      detail: { title: t('ours.detail'), width: 260 },
      route: { title: t('ours.route'), term: 'route', isSortable: true },
      broker_instance: { title: t('mirrors.broker'), term: 'brokerInstance' },
      are_both_principal: { title: t('mirrors.areBoth'), isHidden: true },
    }),
    [t],
  );
}

/** The state of the route, and on hover why messages flow or wait. */
export function PairState({ row, read }: { row: GridRow; read: Read }) {
  const { t } = useTranslation('views');
  const reason = reasonOf(row, read);
  return (
    <Hint label={t(`mirrors.why.${reason}`)}>
      <span>
        <Badge verdict={reason === 'flows' ? 'delivered' : troublesome.includes(reason) ? 'lost' : undefined}>
          {String(read(row, 'state'))}
        </Badge>
      </span>
    </Hint>
  );
}
