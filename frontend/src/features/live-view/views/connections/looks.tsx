import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { Hint } from '@/components/ui/hint';
import { bytesText } from '@/i18n';
import { useLiveStore } from '@/lib/live-store';
import { connectionKind } from '@/live/grid/connections';
import type { GridRow, Read } from '@/live/grid/rows';
import type { Cell } from '@/contracts/live-messages';

import { TransmissionStatus } from '../../components/cells';
import gridClasses from '../../frame/grid.module.css';
import type { Look, Looks } from '../../frame/looks';
import { instanceLook, textOf } from '../common';
import { connectionVerdicts } from './facets';

type RowProps = { row: GridRow; read: Read };

export function useConnectionLooks(): Looks {
  const { t } = useTranslation('views');
  return useMemo(() => {
    const bytes = (look: Look): Look => ({ ...look, isSortable: true, cell: (value) => <Bytes value={value} /> });
    return {
      instance_name: instanceLook(t),
      peer_instance: {
        title: t('connections.other'),
        isSortable: true,
        width: 116,
        cell: (_, row, read) => <Other row={row} read={read} />,
      },
      address: { title: t('ours.address'), isSortable: true, width: 170 },
      state_desc: { isSortable: true, width: 150, cell: (_, row, read) => <State row={row} read={read} /> },
      error: {
        title: t('ours.error'),
        isSortable: true,
        shape: 'text',
        width: 230,
        cell: (_, row, read) => <Failure row={row} read={read} />,
      },
      login_state_desc: { width: 160, hint: t('connections.loginHint'), shape: 'text' },
      authentication_method: { width: 172, shape: 'text' },
      encryption_algorithm_desc: { shape: 'text' },
      last_activity_time: { shape: 'age', isSortable: true, hint: t('connections.idleHint'), width: 168 },
      bytes_sent_per_second: {
        title: t('connections.sentRate'),
        hint: t('connections.rateHint'),
        isSortable: true,
        width: 108,
        cell: (value) => <Rate value={value} />,
      },
      bytes_received_per_second: {
        title: t('connections.receivedRate'),
        hint: t('connections.rateHint'),
        isSortable: true,
        width: 108,
        cell: (value) => <Rate value={value} />,
      },
      total_bytes_sent: bytes({ width: 140 }),
      total_bytes_received: bytes({ width: 160 }),
      total_fragments_sent: { isSortable: true, hint: t('connections.fragmentHint') },
      total_fragments_received: { isSortable: true, hint: t('connections.fragmentHint') },
      is_accept: { hint: t('connections.acceptHint') },
      connect_time: { shape: 'age', isSortable: true },
      conversations: { title: t('connections.conversations'), isSortable: true },
      left_alone_until: { title: t('connections.leftAlone'), shape: 'until', width: 150, isHidden: true },
      detail: { title: t('ours.detail'), isHidden: true },
    };
  }, [t]);
}

/** What a state means; a connection that is closed is fine only while its instance may open it. */
export function useMeaning(row: GridRow, read: Read): string {
  const { t } = useTranslation('views');
  const kind = connectionKind(row, read);
  const state = useLiveStore((store) => store.live.instances[row.instance]?.view?.endpoint_state ?? null);
  return kind === 'closed' && state !== null && state !== 'STARTED'
    ? t('connections.switchedOff', { instance: row.instance, state })
    : t(`connections.kind.${kind}.meaning`);
}

/** The vendor's state; what follows from it, on hover. */
export function State({ row, read }: RowProps) {
  const kind = connectionKind(row, read);
  return (
    <Hint label={useMeaning(row, read)}>
      <span>
        <Badge verdict={connectionVerdicts[kind]}>{textOf(row, read, 'state_desc')}</Badge>
      </span>
    </Hint>
  );
}

/** Which instance is at the other side; before the login is done nobody knows. */
export function Other({ row, read }: RowProps) {
  const { t } = useTranslation('views');
  const peer = textOf(row, read, 'peer_instance');
  return peer === '' ? <span className={gridClasses.faint}>{t('cells.unknown')}</span> : <>{peer}</>;
}

export function Bytes({ value }: { value: Cell }) {
  const { t } = useTranslation('views');
  return typeof value === 'number' ? (
    <>{bytesText(value)}</>
  ) : (
    <span className={gridClasses.faint}>{t('cell.null')}</span>
  );
}

/** Bytes a second; not known before the page has looked twice. */
export function Rate({ value }: { value: Cell }) {
  const { t } = useTranslation('views');
  return typeof value === 'number' ? (
    <>{t('connections.perSecond', { bytes: bytesText(value) })}</>
  ) : (
    <span className={gridClasses.faint} title={t('connections.rateUnknown')}>
      {t('unknownCount')}
    </span>
  );
}

export function Failure({ row, read }: RowProps) {
  const { t } = useTranslation('views');
  const number = read(row, 'error');
  return typeof number === 'number' ? (
    <TransmissionStatus number={number} text={textOf(row, read, 'detail')} />
  ) : (
    <span className={gridClasses.faint}>{t('cell.noTime')}</span>
  );
}
