import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { ConfirmedButton } from '@/components/confirm/confirmed-button';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight } from '@/hooks/use-rights';
import { setQueueStatus } from '@/lib/api/queue-set-status';
import { tellDone } from '@/lib/notices';
import { refreshEstate } from '@/lib/refresh';

import { setQueueActivation } from '../api/queue-set-activation';
import { textCell, type RowProps } from '../row-paths';
import classes from './actions.module.css';

/** The switches of a queue: whether it takes messages in and gives them out, and whether it starts readers. */
export function QueueActions({ row, read }: RowProps) {
  return (
    <div className={classes.bar}>
      <QueueSwitch row={row} read={read} />
      <ActivationSwitch row={row} read={read} />
    </div>
  );
}

function pathOf({ row, read }: RowProps) {
  return {
    instance: row.instance,
    database: textCell(row, read, 'database_name'),
    queue: textCell(row, read, 'queue_name'),
  };
}

function QueueSwitch({ row, read }: RowProps) {
  const { t } = useTranslation('operations');
  const estate = useEstatePage();
  const missing = useMissingRight('operate');
  const path = pathOf({ row, read });
  const isOn = Boolean(read(row, 'is_receive_enabled'));
  const words = isOn ? 'off' : 'on';
  return (
    <ConfirmedButton
      barred={missing}
      label={t(`queue.${words}.open`)}
      title={t(`queue.${words}.title`, path)}
      verb={t(`queue.${words}.verb`)}
      consequences={[
        t(`queue.${words}.does`),
        t(`queue.${words}.then`, { count: Number(read(row, 'awaiting')) }),
        t('queue.wanted'),
      ]}
      run={() => setQueueStatus(estate.name, path, !isOn)}
      onDone={() => {
        tellDone(t(`queue.${words}.done`, path));
      }}
    />
  );
}

function ActivationSwitch({ row, read }: RowProps) {
  const { t } = useTranslation('operations');
  const estate = useEstatePage();
  const queries = useQueryClient();
  const missing = useMissingRight('operate');
  const path = pathOf({ row, read });
  const procedure = textCell(row, read, 'activation_procedure');
  const isOn = Boolean(read(row, 'is_activation_enabled'));
  const words = isOn ? 'off' : 'on';
  return (
    <ConfirmedButton
      barred={missing ?? (procedure === '' ? t('activation.none', path) : null)}
      label={t(`activation.${words}.open`)}
      title={t(`activation.${words}.title`, path)}
      verb={t(`activation.${words}.verb`)}
      consequences={[t(`activation.${words}.does`, { procedure }), t('activation.revision')]}
      run={() => setQueueActivation(estate.name, path, !isOn)}
      onDone={({ revision }) => {
        tellDone(t(`activation.${words}.done`, { ...path, revision }));
        void refreshEstate(queries, estate.name);
      }}
    />
  );
}
