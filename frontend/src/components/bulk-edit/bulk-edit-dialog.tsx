import { Button, Checkbox, Group, Modal, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import type { ObjectsEdited, ObjectsEditRequest } from '@/contracts/api';
import { useEdit } from '@/hooks/use-draft';
import { useEstatePage } from '@/hooks/use-estate-page';
import { editObjects, previewEdit, type EditedKind } from '@/lib/api/objects-edit';
import { asProblem } from '@/lib/errors';
import { tellUndoable } from '@/lib/tell-undoable';

import classes from './bulk-edit.module.css';
import { EditOutcome } from './edit-outcome';

/** More than so many are only deleted when their number is typed. */
const typedFrom = 10;

type Props = {
  kind: EditedKind;
  /** What is asked for, all but how. */
  wanted: Pick<ObjectsEditRequest, 'action' | 'objects' | 'filter' | 'patch'>;
  /** Of how many objects. */
  count: number;
  draft: number | null;
  /** Why it cannot be tried yet; null when it can. */
  barred: string | null;
  /** The fields of the edit; `refused` is the pointer of the one that the server refused. */
  fields: (refused: string | null) => ReactNode;
  onClose: (isDone: boolean) => void;
};

/** Many objects edited or deleted: what would become of each, one decision in the draft, and a result for each. */
export function BulkEditDialog({ kind, wanted, count, draft, barred, fields, onClose }: Props) {
  const { t } = useTranslation('objects');
  const estate = useEstatePage();
  const edit = useEdit();
  const [leaves, setLeaves] = useState(false);
  const [typed, setTyped] = useState('');
  const { action } = wanted;
  const body: ObjectsEditRequest = { ...wanted, leave_refused: leaves, dry_run: false };
  const preview = useMutation({ mutationFn: () => previewEdit(estate.name, kind, body, draft) });
  const done = useMutation({
    mutationFn: async () => {
      let result: ObjectsEdited | null = null;
      const { number } = await edit(async (into) => {
        result = await editObjects(estate.name, kind, body, into);
      });
      return { number, result: result as ObjectsEdited | null };
    },
    onSuccess: ({ number, result }) => {
      tellUndoable(t(action === 'drop' ? 'toldDrop' : 'told', { count: result?.changed ?? 0 }), estate.name, number);
    },
  });
  const problem = done.isError ? asProblem(done.error) : preview.isError ? asProblem(preview.error) : null;
  const result = done.data?.result ?? null;
  const shown = result ?? preview.data ?? null;
  const needsTyping = action === 'drop' && count >= typedFrom && typed.trim() !== String(count);
  return (
    <Modal
      opened
      onClose={() => {
        onClose(result !== null);
      }}
      size="xl"
      title={t(action === 'drop' ? 'bulkDrop' : 'bulkEdit', { count })}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {problem !== null && <ProblemPanel problem={problem} />}
      {shown === null ? (
        action === 'alter' && fields(problem?.pointer ?? null)
      ) : (
        <EditOutcome edited={shown} isDone={result !== null} />
      )}
      {shown !== null && result === null && shown.refused > 0 && (
        <Checkbox
          mt="sm"
          label={t('leaveRefused')}
          checked={leaves}
          onChange={(event) => {
            setLeaves(event.currentTarget.checked);
          }}
        />
      )}
      {shown !== null && result === null && action === 'drop' && count >= typedFrom && (
        <TextInput
          mt="sm"
          label={t('typeCount', { count })}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
          }}
        />
      )}
      <Group mt="md" justify="flex-end">
        {shown === null ? (
          <>
            {barred !== null && <span className={classes.note}>{barred}</span>}
            <Button
              loading={preview.isPending}
              disabled={barred !== null}
              onClick={() => {
                preview.mutate();
              }}
            >
              {t('preview')}
            </Button>
          </>
        ) : result === null ? (
          <>
            <Button
              variant="default"
              onClick={() => {
                preview.reset();
                done.reset();
              }}
            >
              {t('back')}
            </Button>
            <Button
              loading={done.isPending}
              disabled={shown.changed === 0 || (shown.refused > 0 && !leaves) || needsTyping}
              onClick={() => {
                done.mutate();
              }}
            >
              {t('apply')}
            </Button>
          </>
        ) : (
          <Button
            onClick={() => {
              onClose(true);
            }}
          >
            {t('close')}
          </Button>
        )}
      </Group>
    </Modal>
  );
}
