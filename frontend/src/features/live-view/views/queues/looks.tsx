import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { Hint } from '@/components/ui/hint';
import { useInstancesNow } from '@/hooks/use-now';
import { numberText } from '@/i18n';
import { monitorState, queueKind } from '@/live/grid/queues';
import type { GridRow, Read } from '@/live/grid/rows';

import { TransmissionStatus } from '../../components/cells';
import gridClasses from '../../frame/grid.module.css';
import type { Looks } from '../../frame/looks';
import { placeLooks, textOf } from '../common';
import { queueVerdicts } from './facets';

type RowProps = { row: GridRow; read: Read };

export function useQueueLooks(): Looks {
  const { t } = useTranslation('views');
  return useMemo(
    () => ({
      ...placeLooks(t),
      queue_name: { title: t('queues.one'), term: 'queue', isSortable: true, width: 190 },
      is_receive_enabled: { width: 176, cell: (_, row, read) => <Kind row={row} read={read} /> },
      ready: { title: t('ours.ready'), hint: t('queues.readyHint'), isSortable: true },
      active_tasks: {
        title: t('ours.activeTasks'),
        hint: t('queues.readersHint'),
        isSortable: true,
        width: 100,
        cell: (_, row, read) => <Readers row={row} read={read} />,
      },
      state: {
        title: t('queues.monitorState'),
        isSortable: true,
        width: 182,
        hint: t('queues.stateHint'),
        cell: (_, row, read) => <Monitor row={row} read={read} />,
      },
      activation_error: {
        title: t('queues.error'),
        isSortable: true,
        width: 240,
        shape: 'text',
        cell: (_, row, read) => <LastError row={row} read={read} />,
      },
      poisoned_at: { title: t('ours.poisonedAt'), term: 'poisonMessage', shape: 'age', width: 156, isSortable: true },
      last_activated_time: { shape: 'age', width: 196, isSortable: true },
      tasks_waiting: {},
      not_complete: { title: t('ours.notComplete'), hint: t('queues.notCompleteHint'), width: 116 },
      retained: { title: t('ours.retained'), hint: t('queues.retainedHint') },
      awaiting: { title: t('ours.awaiting'), hint: t('queues.awaitingHint'), isSortable: true },
      is_activation_enabled: { term: 'activation' },
      activation_procedure: {},
      max_readers: {},
      name: { isHidden: true },
      activation_failed_at: { title: t('queues.failedAt'), shape: 'age', isHidden: true, isSortable: true },
      activation_error_text: { title: t('queues.errorText'), isHidden: true },
      poison_rollbacks: { title: t('queues.rollbacks'), isHidden: true },
    }),
    [t],
  );
}

/** On or off, and in a word what is worth to be known of it. */
export function Kind({ row, read }: RowProps) {
  const { t } = useTranslation('views');
  const kind = queueKind(row, read, useInstancesNow() / 1000);
  return (
    <Hint label={t(`queues.kind.${kind}.meaning`)}>
      <span>
        <Badge verdict={queueVerdicts[kind] ?? (kind === 'reading' ? 'delivered' : undefined)}>
          {t(`queues.kind.${kind}.word`)}
        </Badge>
      </span>
    </Hint>
  );
}

/** How many readers run, of how many may; without activation there are none that the broker counts. */
export function Readers({ row, read }: RowProps) {
  const { t } = useTranslation('views');
  const [running, most] = [Number(read(row, 'active_tasks')), read(row, 'max_readers')];
  return typeof most !== 'number' || most === 0 ? (
    <>{numberText(running)}</>
  ) : (
    <>{t('queues.readersOf', { running, most })}</>
  );
}

/** The state of its monitor, explained on hover; that there is none is a state too. */
export function Monitor({ row, read }: RowProps) {
  const { t } = useTranslation('views');
  const state = monitorState(row, read);
  return (
    <Hint label={t(`queues.monitor.${state ?? 'none'}`)}>
      <span className={state === null ? gridClasses.faint : undefined}>{state ?? t('queues.noMonitor')}</span>
    </Hint>
  );
}

export function LastError({ row, read }: RowProps) {
  const { t } = useTranslation('views');
  const number = read(row, 'activation_error');
  return typeof number !== 'number' ? (
    <span className={gridClasses.faint}>{t('cell.noTime')}</span>
  ) : (
    <TransmissionStatus number={number} text={textOf(row, read, 'activation_error_text')} />
  );
}
