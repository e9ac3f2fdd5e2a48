import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import type { Instance } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { setEndpointState } from '@/lib/api/endpoint-set-state';
import { tellProblem } from '@/lib/notices';
import { keys } from '@/lib/query-client';

type Props = { estate: string; instance: Instance; size?: 'xs' | 'compact-xs' };

/** Starts or stops an instance's broker endpoint: what is sent then waits in the transmission queues. */
export function EndpointSwitch({ estate, instance, size = 'xs' }: Props) {
  const { t } = useTranslation('components');
  const missing = useMissingRight('operate');
  const queries = useQueryClient();
  const isStarted = instance.endpoint?.state === 'STARTED';
  const change = useMutation({
    mutationFn: () => setEndpointState(estate, instance.name, isStarted ? 'STOPPED' : 'STARTED'),
    onError: tellProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.topology(estate) }),
  });
  const barred = instance.endpoint === null ? t('endpoint.none', { name: instance.name }) : missing;
  return (
    <GuardedButton
      barred={barred}
      size={size}
      variant="default"
      loading={change.isPending}
      leftSection={isStarted ? <IconPlayerStop size={14} /> : <IconPlayerPlay size={14} />}
      aria-label={t(isStarted ? 'endpoint.stopOf' : 'endpoint.startOf', { name: instance.name })}
      onClick={() => {
        change.mutate();
      }}
    >
      {t(isStarted ? 'endpoint.stop' : 'endpoint.start')}
    </GuardedButton>
  );
}
