import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';

import { i18n } from '@/i18n';

import { undoInChangeSet } from './api/change-set-undo';
import { tellProblem } from './notices';
import { queryClient } from './query-client';
import { refreshEstate } from './refresh';

/** Says what was done in a change set and offers to take it back. */
export function tellUndoable(text: string, estate: string, changeSet: number): void {
  const id = crypto.randomUUID();
  notifications.show({
    id,
    color: 'accent',
    autoClose: 12_000,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>{i18n.t('notices:undoable', { text, number: changeSet })}</span>
        <Button
          variant="subtle"
          size="compact-xs"
          style={{ flex: 'none' }}
          onClick={() => {
            notifications.hide(id);
            undoInChangeSet(estate, changeSet)
              .catch(tellProblem)
              .finally(() => void refreshEstate(queryClient, estate));
          }}
        >
          {i18n.t('notices:undo')}
        </Button>
      </Group>
    ),
  });
}
