import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';

import { GuardedButton } from '@/components/ui/guarded-button';
import type { Instance } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { setEndpointState } from '@/lib/api/endpoint-set-state';
import { tellProblem } from '@/lib/notices';
import { keys } from '@/lib/query-client';

type Props = { estate: string; instance: Instance; size?: 'xs' | 'compact-xs' };

/** Starts or stops an instance's broker endpoint: what is sent then waits in the transmission queues. */
export function EndpointSwitch({ estate, instance, size = 'xs' }: Props) {
  const missing = useMissingRight('operate');
  const queries = useQueryClient();
  const isStarted = instance.endpoint?.state === 'STARTED';
  const change = useMutation({
    mutationFn: () => setEndpointState(estate, instance.name, isStarted ? 'STOPPED' : 'STARTED'),
    onError: tellProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.topology(estate) }),
  });
  const barred = instance.endpoint === null ? `${instance.name} has no broker endpoint.` : missing;
  const verb = isStarted ? 'Stop' : 'Start';
  return (
    <GuardedButton
      barred={barred}
      size={size}
      variant="default"
      loading={change.isPending}
      leftSection={isStarted ? <IconPlayerStop size={14} /> : <IconPlayerPlay size={14} />}
      aria-label={`${verb} endpoint of ${instance.name}`}
      onClick={() => {
        change.mutate();
      }}
    >
      {verb} endpoint
    </GuardedButton>
  );
}
