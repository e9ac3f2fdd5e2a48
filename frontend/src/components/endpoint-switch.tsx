import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import type { Instance } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { setEndpointState } from '@/lib/api/endpoint-set-state';
import { tellDone } from '@/lib/notices';
import { refreshEstate } from '@/lib/refresh';

import { ConfirmedButton } from './confirm/confirmed-button';

type Props = {
  estate: string;
  instance: Instance;
  size?: 'xs' | 'compact-xs' | 'compact-sm';
  /** Where buttons of several instances are side by side. */
  isNamed?: boolean;
};

/** Starts or stops the broker endpoint of an instance, at once and not in a draft: it says what that does, and asks. */
export function EndpointSwitch({ estate, instance: { name, endpoint }, size = 'xs', isNamed = false }: Props) {
  const { t } = useTranslation('components');
  const missing = useMissingRight('operate');
  const queries = useQueryClient();
  const isStarted = endpoint?.state === 'STARTED';
  const words = isStarted ? 'stop' : 'start';
  return (
    <ConfirmedButton
      barred={endpoint === null ? t('endpoint.none', { name }) : missing}
      size={size}
      sign={isStarted ? <IconPlayerStop size={14} /> : <IconPlayerPlay size={14} />}
      label={isNamed ? t(`endpoint.${words}.named`, { name }) : t(`endpoint.${words}.open`)}
      {...(isNamed ? {} : { name: t(`endpoint.${words}.of`, { name }) })}
      title={t(`endpoint.${words}.title`, { name })}
      verb={t(`endpoint.${words}.verb`)}
      consequences={[
        t(`endpoint.${words}.does`, { name }),
        t(`endpoint.${words}.then`, { name }),
        t('endpoint.revision'),
      ]}
      run={() => setEndpointState(estate, name, isStarted ? 'STOPPED' : 'STARTED')}
      onDone={({ revision }) => {
        tellDone(t(`endpoint.${words}.done`, { name, revision }));
        void refreshEstate(queries, estate);
      }}
    />
  );
}
