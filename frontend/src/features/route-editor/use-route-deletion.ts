import { useMutation } from '@tanstack/react-query';

import type { Route } from '@/contracts/api';
import { useEdit } from '@/hooks/use-draft';
import { useEstatePage } from '@/hooks/use-estate-page';
import { tellProblem } from '@/lib/notices';
import { tellUndoable } from '@/lib/tell-undoable';
import type { TopologyChange } from '@/topology/changes';
import type { DatabasePath } from '@/topology/selection';

import { executeChange } from './execute-change';
import { sentence } from './sentences';

/**
 * Deletes a route in a change set. It asks nothing: one click takes it back, and nothing is live before it is applied.
 */
export function useRouteDeletion(onDone: (scope: DatabasePath) => void) {
  const estate = useEstatePage();
  const edit = useEdit();
  return useMutation({
    mutationFn: async ({ scope, route }: { scope: DatabasePath; route: Route }) => {
      const change: TopologyChange = { type: 'route-removed', scope, route };
      return { change, draft: await edit((draft) => executeChange(estate.name, change, draft)) };
    },
    onSuccess: ({ change, draft }) => {
      tellUndoable(sentence(change), estate.name, draft.number);
      onDone(change.scope);
    },
    onError: tellProblem,
  });
}
