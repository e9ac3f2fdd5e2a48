import { ActionIcon, Button, CloseButton, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconArrowBackUp, IconArrowForwardUp, type Icon } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';

import type { Draft, Estate } from '@/contracts/api';
import { useSetParameters } from '@/hooks/use-view-state';
import { changeSetQuery } from '@/lib/api/change-set-read';
import { redoInChangeSet } from '@/lib/api/change-set-redo';
import { undoInChangeSet } from '@/lib/api/change-set-undo';
import { tellDone, tellProblem } from '@/lib/notices';
import { refreshEstate } from '@/lib/refresh';
import { counted } from '@/topology/words';

import classes from './draft-bar.module.css';

/** What one looks at is a draft: how much it changes, the way back and forth in it, and the way to make it live. */
export function DraftBar({ estate, draft }: { estate: Estate; draft: Draft }) {
  const set = useSetParameters();
  const { data: changeSet } = useQuery(changeSetQuery(estate.name, draft.number));
  const undo = useTurn(estate.name, draft.number, undoInChangeSet, 'Undone');
  const redo = useTurn(estate.name, draft.number, redoInChangeSet, 'Done again');
  const count = estate.draft_objects.length;
  const backwards = changeSet?.undo_hindrance ?? null;
  const forwards = changeSet?.redo_hindrance ?? null;
  useHotkeys([
    ['mod+Z', undo.act],
    ['mod+shift+Z', redo.act],
  ]);
  return (
    <div role="group" aria-label={`Draft #${draft.number}`} className={classes.bar}>
      <span className={classes.chip} role="status">
        Draft #{draft.number} · {count === 0 ? 'no change' : counted(count, 'change')}
      </span>
      <Turn label={`Undo${changeSet?.undo_summary ? `: ${changeSet.undo_summary}` : ''}`} sign={IconArrowBackUp} barred={changeSet?.can_undo === true ? null : (backwards ?? 'Nothing to undo')} isBusy={undo.isBusy} onAct={undo.act} />
      <Turn label={`Redo${changeSet?.redo_summary ? `: ${changeSet.redo_summary}` : ''}`} sign={IconArrowForwardUp} barred={changeSet?.can_redo === true ? null : (forwards ?? 'Nothing to redo')} isBusy={redo.isBusy} onAct={redo.act} />
      <Button component={Link} size="xs" to={`/estates/${encodeURIComponent(estate.name)}/changes/${draft.number}`}>
        Review changes ({count})
      </Button>
      <Tooltip label="Leave the draft; it is kept">
        <CloseButton
          aria-label="Leave the draft"
          onClick={() => {
            set({ draft: null, edit: null });
          }}
        />
      </Tooltip>
    </div>
  );
}

type TurnProps = { label: string; sign: Icon; barred: string | null; isBusy: boolean; onAct: () => void };

function Turn({ label, sign: Sign, barred, isBusy, onAct }: TurnProps) {
  return (
    <Tooltip label={barred ?? label} multiline maw={360}>
      <ActionIcon
        size={30}
        variant="default"
        aria-label={label}
        aria-disabled={barred !== null}
        aria-description={barred ?? undefined}
        {...(barred === null ? {} : { 'data-disabled': true })}
        loading={isBusy}
        onClick={() => {
          if (barred === null) {
            onAct();
          }
        }}
      >
        <Sign size={17} />
      </ActionIcon>
    </Tooltip>
  );
}

/** One step back or forth, told with what it was. A refusal says why. */
function useTurn(estate: string, number: number, request: (estate: string, number: number) => Promise<{ summary: string }>, verb: string) {
  const queries = useQueryClient();
  const turn = useMutation({
    mutationFn: () => request(estate, number),
    onSuccess: ({ summary }) => {
      tellDone(`${verb}: ${summary}`);
    },
    onError: tellProblem,
    onSettled: () => refreshEstate(queries, estate),
  });
  return {
    isBusy: turn.isPending,
    act: () => {
      if (!turn.isPending) {
        turn.mutate();
      }
    },
  };
}
