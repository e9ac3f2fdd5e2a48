import { useMutation, useQueryClient } from '@tanstack/react-query';

import { GuardedButton } from '@/components/ui/guarded-button';
import { useMissingRight } from '@/hooks/use-rights';
import { tellProblem } from '@/lib/notices';
import { keys } from '@/lib/query-client';
import type { DatabasePath } from '@/topology/selection';

import { switchBroker } from '../../api/broker-switch';

/** Enables or disables a database's broker; with it disabled, its services do not exist for the network. */
export function BrokerSwitch({ estate, path, isEnabled }: { estate: string; path: DatabasePath; isEnabled: boolean }) {
  const missing = useMissingRight('edit');
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: () => switchBroker(estate, path, !isEnabled),
    onError: tellProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.topology(estate) }),
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
