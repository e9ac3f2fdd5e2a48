import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { ConflictNotice } from '@/components/ui/conflict-notice';
import type { Endpoint } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { topologyQuery } from '@/lib/api/topology-read';
import { asProblem } from '@/lib/errors';
import { keys } from '@/lib/query-client';
import { fieldsOfEndpoint, patchOfEndpoint, type EndpointFields } from '@/topology/endpoint-clauses';
import { findInstance } from '@/topology/lookup';

import { updateEndpoint } from '../api/endpoint-update';
import { EndpointForm } from './endpoint-form';

type Props = { instance: string; endpoint: Endpoint; onDone: () => void; onCancel: () => void };

/** Changes an endpoint's security, from the revision the form was opened at: nobody's work is undone unseen. */
export function EndpointEditor({ instance, endpoint, onDone, onCancel }: Props) {
  const estate = useEstatePage();
  const queries = useQueryClient();
  const [base, setBase] = useState({ revision: estate.revision, endpoint });
  const [initial] = useState(() => fieldsOfEndpoint(endpoint));
  const { refetch } = useQuery({ ...topologyQuery(estate.name), enabled: false });

  const save = useMutation({
    mutationFn: (fields: EndpointFields) =>
      updateEndpoint(estate.name, instance, patchOfEndpoint(fields, base.endpoint), base.revision),
    onSuccess: () => {
      notifications.show({
        color: 'accent',
        message: `Endpoint ${endpoint.name} of ${instance} changed. Its connections are opened anew; no message is lost.`,
      });
      onDone();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keys.topology(estate.name) }),
  });

  const rebase = async () => {
    const { data } = await refetch();
    const now = data === undefined ? null : (findInstance(data, instance)?.endpoint ?? null);
    if (data !== undefined && now !== null) {
      setBase({ revision: data.revision, endpoint: now });
      save.reset();
    }
  };

  const problem = save.isError ? asProblem(save.error) : null;
  return (
    <EndpointForm
      instance={instance}
      endpoint={base.endpoint}
      initial={initial}
      problem={problem}
      isBusy={save.isPending}
      notice={problem?.status === 412 ? <ConflictNotice problem={problem} onReload={() => void rebase()} /> : null}
      onSubmit={(fields) => {
        save.mutate(fields);
      }}
      onCancel={onCancel}
    />
  );
}
