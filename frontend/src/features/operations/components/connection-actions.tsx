import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import type { Instance } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight } from '@/hooks/use-rights';
import { setEndpointState } from '@/lib/api/endpoint-set-state';
import { tellDone } from '@/lib/notices';
import { refreshEstate } from '@/lib/refresh';

import { textCell, type RowProps } from '../row-paths';
import classes from './actions.module.css';
import { ConfirmedButton } from './confirmed-button';

/** The endpoints at both ends of a connection, as far as they are of this estate. */
export function ConnectionActions({ row, read }: RowProps) {
  const estate = useEstatePage();
  const names = [row.instance, textCell(row, read, 'peer_instance')];
  return (
    <div className={classes.bar}>
      {estate.instances
        .filter(({ name }) => names.includes(name))
        .map((instance) => (
          <EndpointButton key={instance.name} estate={estate.name} instance={instance} />
        ))}
    </div>
  );
}

function EndpointButton({ estate, instance: { name, endpoint } }: { estate: string; instance: Instance }) {
  const { t } = useTranslation(['operations', 'components']);
  const queries = useQueryClient();
  const missing = useMissingRight('operate');
  const isStarted = endpoint?.state === 'STARTED';
  const words = isStarted ? 'stop' : 'start';
  return (
    <ConfirmedButton
      barred={missing ?? (endpoint === null ? t('components:endpoint.none', { name }) : null)}
      label={t(`endpoint.${words}.open`, { name })}
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
