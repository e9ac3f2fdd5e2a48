import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import type { Looks } from '../../frame/looks';
import { instanceLook } from '../common';
import { TimeUsed } from './time-used';

export function useForwardedLooks(): Looks {
  const { t } = useTranslation('views');
  return useMemo(
    () => ({
      instance_name: { ...instanceLook(t), title: t('forwarded.forwarder') },
      from_service_name: { isSortable: true },
      to_service_name: { isSortable: true },
      adjacent_broker_address: { isSortable: true, hint: t('forwarded.nextHopHint'), width: 190 },
      hops_remaining: { isSortable: true, hint: t('forwarded.hopsHint') },
      time_consumed: {
        isSortable: true,
        hint: t('forwarded.timeHint'),
        width: 168,
        cell: (_, row, read) => <TimeUsed row={row} read={read} />,
      },
      message_bytes: { title: t('ours.bytes'), isSortable: true, width: 90 },
      message_kind: { title: t('forwarded.kind'), isSortable: true, width: 128, shape: 'text' },
      message_sequence_number: { width: 190 },
      is_initiator: {},
      conversation_id: { term: 'conversation', width: 124 },
      time_to_live: { isSortable: true, isHidden: true },
      bytes_held: { title: t('forwarded.held'), isHidden: true },
    }),
    [t],
  );
}
