import { Button, Group, Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Run } from '@/contracts/api';
import { bytesText } from '@/i18n';

import classes from './analytics.module.css';

type Props = { run: Run; isBusy: boolean; onConfirm: () => void; onClose: () => void };

/** Asks once more: its tables go too. The lake stays, so it can be computed again. */
export function DeleteRun({ run, isBusy, onConfirm, onClose }: Props) {
  const { t } = useTranslation(['analytics', 'common']);
  return (
    <Modal opened onClose={onClose} title={t('delete.title')} closeButtonProps={{ 'aria-label': t('common:cancel') }}>
      <p className={classes.plain}>
        {t('delete.about', {
          job: t(`job.${run.job}.title`),
          count: run.tables.length,
          bytes: bytesText(run.bytes ?? 0),
        })}
      </p>
      <Group mt="md" justify="flex-end">
        <Button variant="default" data-autofocus onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button color="red" loading={isBusy} onClick={onConfirm}>
          {t('delete.verb')}
        </Button>
      </Group>
    </Modal>
  );
}
