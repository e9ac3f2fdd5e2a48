import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { useEdit } from '@/hooks/use-draft';
import { useMissingRight } from '@/hooks/use-rights';
import { tellProblem } from '@/lib/notices';
import { tellUndoable } from '@/lib/tell-undoable';
import type { DatabasePath } from '@/topology/selection';

import { switchBroker } from '../../api/broker-switch';

/** Enables or disables a database's broker; with it disabled, its services do not exist for the network. */
export function BrokerSwitch({ estate, path, isEnabled }: { estate: string; path: DatabasePath; isEnabled: boolean }) {
  const { t } = useTranslation('inspector');
  const missing = useMissingRight('edit');
  const edit = useEdit();
  const change = useMutation({
    mutationFn: () => edit((draft) => switchBroker(estate, path, !isEnabled, draft)),
    onSuccess: ({ number }) => {
      tellUndoable(t(isEnabled ? 'broker.disabled' : 'broker.enabled', path), estate, number);
    },
    onError: tellProblem,
  });
  return (
    <GuardedButton
      barred={missing}
      variant="default"
      loading={change.isPending}
      onClick={() => {
        change.mutate();
      }}
    >
      {isEnabled ? t('broker.disable') : t('broker.enable')}
    </GuardedButton>
  );
}
