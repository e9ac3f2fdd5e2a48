import { ActionIcon, Button, CloseButton, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconArrowBackUp, IconArrowForwardUp, type Icon } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { GuardedButton } from '@/components/ui/guarded-button';
import type { Draft, Estate } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { useSetParameters } from '@/hooks/use-view-state';
import { discardChangeSet } from '@/lib/api/change-set-discard';
import { useFormMistakes } from '@/lib/form-mistakes';
import { changeSetQuery } from '@/lib/api/change-set-read';
import { redoInChangeSet } from '@/lib/api/change-set-redo';
import { undoInChangeSet } from '@/lib/api/change-set-undo';
import { tellDone, tellProblem } from '@/lib/notices';
import { refreshEstate } from '@/lib/refresh';

import classes from './draft-bar.module.css';
import { DraftLosses } from './draft-losses';

/** What one looks at is a draft: how much it changes, the way back and forth in it, and the way to make it live. */
export function DraftBar({ estate, draft }: { estate: Estate; draft: Draft }) {
  const { t } = useTranslation('shell');
  const set = useSetParameters();
  const { data: changeSet } = useQuery(changeSetQuery(estate.name, draft.number));
  const undo = useTurn(estate.name, draft.number, undoInChangeSet, 'undone');
  const redo = useTurn(estate.name, draft.number, redoInChangeSet, 'redone');
  const count = estate.draft_objects.length;
  const isMistaken = useFormMistakes(({ about }) => about !== null);
  const backwards = changeSet?.undo_hindrance ?? null;
  const forwards = changeSet?.redo_hindrance ?? null;
  useHotkeys([
    ['mod+Z', undo.act],
    ['mod+shift+Z', redo.act],
  ]);
  return (
    <div role="group" aria-label={t('draft.label', { number: draft.number })} className={classes.bar}>
      <span className={classes.chip} role="status">
        {t('draft.chip', { number: draft.number, count })}
      </span>
      <DraftLosses estate={estate.name} changeSet={changeSet} />
      <Turn
        label={changeSet?.undo_summary ? t('draft.undoThis', { summary: changeSet.undo_summary }) : t('draft.undo')}
        sign={IconArrowBackUp}
        barred={changeSet?.can_undo === true ? null : (backwards ?? t('draft.nothingToUndo'))}
        isBusy={undo.isBusy}
        onAct={undo.act}
      />
      <Turn
        label={changeSet?.redo_summary ? t('draft.redoThis', { summary: changeSet.redo_summary }) : t('draft.redo')}
        sign={IconArrowForwardUp}
        barred={changeSet?.can_redo === true ? null : (forwards ?? t('draft.nothingToRedo'))}
        isBusy={redo.isBusy}
        onAct={redo.act}
      />
      {isMistaken ? (
        <Tooltip label={t('draft.mistake')} multiline maw={360}>
          <Button size="xs" data-disabled aria-disabled aria-description={t('draft.mistake')}>
            {t('draft.review', { count })}
          </Button>
        </Tooltip>
      ) : count === 0 ? (
        <DiscardEmpty estate={estate.name} draft={draft} />
      ) : (
        <Button component={Link} size="xs" to={`/estates/${encodeURIComponent(estate.name)}/changes/${draft.number}`}>
          {t('draft.review', { count })}
        </Button>
      )}
      <Tooltip label={t('draft.leaveHint')}>
        <CloseButton
          aria-label={t('draft.leave')}
          onClick={() => {
            set({ draft: null, edit: null });
          }}
        />
      </Tooltip>
    </div>
  );
}

/**
 * A draft in which nothing stands is given up at once: there is nothing to lose, and what was done stays in the audit.
 */
function DiscardEmpty({ estate, draft }: { estate: string; draft: Draft }) {
  const { t } = useTranslation('review');
  const missing = useMissingRight('edit');
  const queries = useQueryClient();
  const set = useSetParameters();
  const discard = useMutation({
    mutationFn: () => discardChangeSet(estate, draft.number, draft),
    onSuccess: () => {
      set({ draft: null, edit: null }, 'correction');
      tellDone(t('empty.discarded', { number: draft.number }));
    },
    onError: tellProblem,
    onSettled: () => refreshEstate(queries, estate),
  });
  return (
    <GuardedButton
      barred={missing}
      size="xs"
      variant="default"
      loading={discard.isPending}
      onClick={() => {
        discard.mutate();
      }}
    >
      {t('empty.discard')}
    </GuardedButton>
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
function useTurn(
  estate: string,
  number: number,
  request: (estate: string, number: number) => Promise<{ summary: string }>,
  outcome: 'undone' | 'redone',
) {
  const { t } = useTranslation('shell');
  const queries = useQueryClient();
  const turn = useMutation({
    mutationFn: () => request(estate, number),
    onSuccess: ({ summary }) => {
      tellDone(t(`draft.${outcome}`, { summary }));
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
