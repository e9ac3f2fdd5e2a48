import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { ConflictNotice } from '@/components/ui/conflict-notice';
import type { Route } from '@/contracts/api';
import { useEdit } from '@/hooks/use-draft';
import { useEstatePage } from '@/hooks/use-estate-page';
import { topologyQuery } from '@/lib/api/topology-read';
import { asProblem } from '@/lib/errors';
import { tellUndoable } from '@/lib/tell-undoable';
import type { TopologyChange } from '@/topology/changes';
import { findRoute, instanceAt } from '@/topology/lookup';
import { emptyFields, fieldsOf, previewOf } from '@/topology/route-clauses';
import type { DatabasePath } from '@/topology/selection';
import type { RouteFields } from '@/topology/validate';

import { changesNothing, executeChange, tryChange } from '../execute-change';
import { sentence } from '../sentences';
import { RouteForm } from './route-form';

type Props = {
  scope: DatabasePath;
  /** The route to change; null to add one. */
  route: Route | null;
  /** Where a new one leads, if that is known. */
  toward?: string | null;
  /** Which service it is for, if that is known. */
  service?: string | null;
  onDone: (name: string) => void;
  onCancel: () => void;
};

/** Adds or changes a route in a change set, as that was when the form was opened: nobody's work is undone unseen. */
export function RouteEditor({ scope, route, toward = null, service = null, onDone, onCancel }: Props) {
  const estate = useEstatePage();
  const [base, setBase] = useState({ draft: estate.change_set, route });
  const [initial] = useState(() =>
    route === null
      ? { ...emptyFields, address: toward ?? '', serviceName: service ?? '' }
      : fieldsOf(route, Date.now()),
  );
  const { refetch } = useQuery({ ...topologyQuery(estate.name, estate.change_set?.number ?? null), enabled: false });
  const edit = useEdit();

  const save = useMutation({
    mutationFn: async (fields: RouteFields) => {
      const change = changeOf(fields);
      if (changesNothing(change)) {
        return { change, draft: null };
      }
      return { change, draft: await edit((draft) => executeChange(estate.name, change, draft), base.draft, { tryOut: () => tryChange(estate.name, change) }) };
    },
    onSuccess: ({ change, draft }, fields) => {
      if (draft !== null) {
        tellUndoable(sentence(change), estate.name, draft.number);
      }
      onDone(fields.name);
    },
  });

  function changeOf(fields: RouteFields): TopologyChange {
    const after = previewOf(fields, Date.now(), (address) => instanceAt(estate, address));
    if (base.route === null) {
      return { type: 'route-added', scope, route: after };
    }
    const isLifetimeKept = fields.lifetimeSeconds === initial.lifetimeSeconds;
    return {
      type: 'route-replaced',
      scope,
      before: base.route,
      after: isLifetimeKept
        ? { ...after, expires_at: base.route.expires_at, is_expired: base.route.is_expired }
        : after,
    };
  }

  const rebase = async () => {
    const { data } = await refetch();
    if (data !== undefined) {
      setBase({ draft: data.change_set, route: route === null ? null : (findRoute(data, scope, route.name) ?? null) });
      save.reset();
    }
  };

  const problem = save.isError ? asProblem(save.error) : null;
  return (
    <RouteForm
      estate={estate}
      scope={scope}
      existing={route?.name ?? null}
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
