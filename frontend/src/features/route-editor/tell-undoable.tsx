import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';

import { tellProblem } from '@/lib/notices';
import type { TopologyChange } from '@/topology/changes';

import { undoChange } from './execute-change';

function sentence(change: TopologyChange): string {
  const { instance, database } = change.scope;
  switch (change.type) {
    case 'route-added':
      return `Route ${change.route.name} added to ${instance} · ${database}.`;
    case 'route-replaced':
      return `Route ${change.after.name} of ${instance} · ${database} changed.`;
    case 'route-removed':
      return `Route ${change.route.name} of ${instance} · ${database} deleted.`;
  }
}

/** Says what was done and offers to take it back. */
export function tellUndoable(estate: string, change: TopologyChange, revision: number): void {
  const id = crypto.randomUUID();
  notifications.show({
    id,
    color: 'accent',
    autoClose: 12_000,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>{sentence(change)}</span>
        <Button
          variant="subtle"
          size="compact-xs"
          onClick={() => {
            notifications.hide(id);
            undoChange(estate, change, revision).catch(tellProblem);
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  });
}
