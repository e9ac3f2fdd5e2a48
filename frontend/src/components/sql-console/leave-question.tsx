import { Button, Group, Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';

type Props = { onLeave: () => void; onStay: () => void };

/** Asked before a session with an open transaction is left. */
export function LeaveQuestion({ onLeave, onStay }: Props) {
  const { t } = useTranslation('sql');
  return (
    <Modal opened onClose={onStay} title={t('leave.title')}>
      <p>{t('transaction.leave')}</p>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onStay} data-autofocus>
          {t('leave.stay')}
        </Button>
        <Button color="red" onClick={onLeave}>
          {t('leave.go')}
        </Button>
      </Group>
    </Modal>
  );
}
