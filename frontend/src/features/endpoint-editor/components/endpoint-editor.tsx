import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ConflictNotice } from '@/components/ui/conflict-notice';
import type { Endpoint } from '@/contracts/api';
import { useEdit } from '@/hooks/use-draft';
import { useEstatePage } from '@/hooks/use-estate-page';
import { topologyQuery } from '@/lib/api/topology-read';
import { asProblem } from '@/lib/errors';
import { tellUndoable } from '@/lib/tell-undoable';
import { fieldsOfEndpoint, patchOfEndpoint, type EndpointFields } from '@/topology/endpoint-clauses';
import { findInstance } from '@/topology/lookup';

import { updateEndpoint } from '../api/endpoint-update';
import { EndpointForm } from './endpoint-form';

type Props = { instance: string; endpoint: Endpoint; onDone: () => void; onCancel: () => void };

/**
 * Changes an endpoint's security in a change set, as that was when the form was opened: nobody's work is undone unseen.
 */
export function EndpointEditor({ instance, endpoint, onDone, onCancel }: Props) {
  const { t } = useTranslation('endpoint');
  const estate = useEstatePage();
  const [base, setBase] = useState({ draft: estate.change_set, endpoint });
  const [initial] = useState(() => fieldsOfEndpoint(endpoint));
  const { refetch } = useQuery({ ...topologyQuery(estate.name, estate.change_set?.number ?? null), enabled: false });
  const edit = useEdit();

  const save = useMutation({
    mutationFn: (fields: EndpointFields) =>
      edit((draft) => updateEndpoint(estate.name, instance, patchOfEndpoint(fields, base.endpoint), draft), base.draft),
    onSuccess: ({ number }) => {
      tellUndoable(t('changed', { endpoint: endpoint.name, instance }), estate.name, number);
      onDone();
    },
  });

  const rebase = async () => {
    const { data } = await refetch();
    const now = data === undefined ? null : (findInstance(data, instance)?.endpoint ?? null);
    if (data !== undefined && now !== null) {
      setBase({ draft: data.change_set, endpoint: now });
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
