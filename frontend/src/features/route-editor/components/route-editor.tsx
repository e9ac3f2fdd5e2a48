import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { ConflictNotice } from '@/components/ui/conflict-notice';
import type { Route } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { topologyQuery } from '@/lib/api/topology-read';
import { asProblem } from '@/lib/errors';
import type { TopologyChange } from '@/topology/changes';
import { findRoute, instanceAt } from '@/topology/lookup';
import { emptyFields, fieldsOf, previewOf } from '@/topology/route-clauses';
import type { DatabasePath } from '@/topology/selection';
import type { RouteFields } from '@/topology/validate';

import { executeChange } from '../execute-change';
import { tellUndoable } from '../tell-undoable';
import { RouteForm } from './route-form';

type Props = {
  scope: DatabasePath;
  /** The route to change; null to add one. */
  route: Route | null;
  onDone: (name: string) => void;
  onCancel: () => void;
};

/** Adds or changes a route. The change is made from the revision the form was opened at, so nobody's work is undone unseen. */
export function RouteEditor({ scope, route, onDone, onCancel }: Props) {
  const estate = useEstatePage();
  const [base, setBase] = useState({ revision: estate.revision, route });
  const [initial] = useState(() => (route === null ? emptyFields : fieldsOf(route, Date.now())));
  const { refetch } = useQuery({ ...topologyQuery(estate.name), enabled: false });

  const save = useMutation({
    mutationFn: async (fields: RouteFields) => {
      const change = changeOf(fields);
      return { change, revision: await executeChange(estate.name, change, base.revision) };
    },
    onSuccess: ({ change, revision }, fields) => {
      tellUndoable(estate.name, change, revision);
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
      after: isLifetimeKept ? { ...after, expires_at: base.route.expires_at, is_expired: base.route.is_expired } : after,
    };
  }

  const rebase = async () => {
    const { data } = await refetch();
    if (data !== undefined) {
      setBase({ revision: data.revision, route: route === null ? null : (findRoute(data, scope, route.name) ?? null) });
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
