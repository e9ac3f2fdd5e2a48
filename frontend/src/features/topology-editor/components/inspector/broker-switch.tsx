import { useMutation } from '@tanstack/react-query';

import { GuardedButton } from '@/components/ui/guarded-button';
import { useEdit } from '@/hooks/use-draft';
import { useMissingRight } from '@/hooks/use-rights';
import { tellProblem } from '@/lib/notices';
import { tellUndoable } from '@/lib/tell-undoable';
import type { DatabasePath } from '@/topology/selection';

import { switchBroker } from '../../api/broker-switch';

/** Enables or disables a database's broker; with it disabled, its services do not exist for the network. */
export function BrokerSwitch({ estate, path, isEnabled }: { estate: string; path: DatabasePath; isEnabled: boolean }) {
  const missing = useMissingRight('edit');
  const edit = useEdit();
  const change = useMutation({
    mutationFn: () => edit((draft) => switchBroker(estate, path, !isEnabled, draft)),
    onSuccess: ({ number }) => {
      tellUndoable(`Broker of ${path.database} on ${path.instance} ${isEnabled ? 'disabled' : 'enabled'}.`, estate, number);
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
      {isEnabled ? 'Disable broker' : 'Enable broker'}
    </GuardedButton>
  );
}
