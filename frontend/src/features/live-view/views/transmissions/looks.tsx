import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { TransmissionStatus } from '../../components/cells';
import type { Looks } from '../../frame/looks';
import { placeLooks, textOf } from '../common';

export function useTransmissionLooks(): Looks {
  const { t } = useTranslation('views');
  return useMemo(
    () => ({
      ...placeLooks(t),
      enqueue_time: { shape: 'age', isSortable: true, width: 150 },
      from_service_name: { isSortable: true, width: 180 },
      to_service_name: { isSortable: true, width: 180 },
      transmission_status: {
        width: 300,
        cell: (_, row, read) => (
          <TransmissionStatus
            number={read(row, 'transmission_status_number') as number | null}
            text={textOf(row, read, 'transmission_status')}
          />
        ),
      },
      message_sequence_number: { width: 186, isSortable: true },
      message_type_name: { isSortable: true, width: 170 },
      message_body_bytes: { title: t('ours.bytes'), isSortable: true, width: 90 },
      priority: { isSortable: true, width: 76, term: 'conversationPriority' },
      to_broker_instance: { width: 150, term: 'brokerInstance' },
      conversation_handle: { width: 150, term: 'conversationHandle' },
      transmission_status_number: {
        title: t('ours.statusNumber'),
        shape: 'text',
        width: 90,
        isHidden: true,
        isSortable: true,
      },
    }),
    [t],
  );
}
