import { Modal, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';

import { ConfirmName } from '@/components/ui/confirm-name';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Route } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { asProblem } from '@/lib/errors';
import type { TopologyChange } from '@/topology/changes';
import type { DatabasePath } from '@/topology/selection';

import { executeChange } from '../execute-change';
import { tellUndoable } from '../tell-undoable';

type Props = { scope: DatabasePath; route: Route; onDone: () => void; onCancel: () => void };

/** Deletes a route once its name was typed. */
export function RouteDeletion({ scope, route, onDone, onCancel }: Props) {
  const estate = useEstatePage();
  const change: TopologyChange = { type: 'route-removed', scope, route };
  const drop = useMutation({
    mutationFn: () => executeChange(estate.name, change, estate.revision),
    onSuccess: (revision) => {
      tellUndoable(estate.name, change, revision);
      onDone();
    },
  });
  return (
    <Modal opened onClose={onCancel} title={`Delete route ${route.name}`} size="md">
      <ConfirmName
        name={route.name}
        verb="Delete route"
        isBusy={drop.isPending}
        onConfirm={() => {
          drop.mutate();
        }}
        onCancel={onCancel}
      >
        <Text size="sm" mb="md">
          {scope.instance} · {scope.database} will no longer send {route.service_name ?? 'any service'} to {route.address}. Messages that
          are on the way wait in their transmission queue until another route matches.
        </Text>
        {drop.isError && <ProblemPanel problem={asProblem(drop.error)} />}
      </ConfirmName>
    </Modal>
  );
}
