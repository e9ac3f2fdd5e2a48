import { Button, Group, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import type { ChangeSet } from '@/contracts/api';
import { draftScope } from '@/lib/query-client';

import { checkDraft } from '../check-draft';

type Props = {
  estate: string;
  changeSet: ChangeSet;
  barred: string | null;
  isBusy: boolean;
  onApply: () => void;
  onShow: (tab: 'flows' | 'assertions') => void;
};

/** So many names are read; the others are in the tab. */
const shown = 10;

/**
 * Makes a draft live, once it is checked as the last edit left it. Lost flows that are not ticked are shown instead;
 * assertions that newly fail are named before: a warning, that one may set aside.
 */
export function ApplyButton({ estate, changeSet, barred, isBusy, onApply, onShow }: Props) {
  const { t } = useTranslation(['review', 'assertions']);
  const queries = useQueryClient();
  const [isAsked, ask] = useState(false);
  const check = useMutation({
    scope: draftScope(estate, changeSet.number),
    mutationFn: () => checkDraft(queries, estate, changeSet),
    onSuccess: ({ unticked, failing }) => {
      if (unticked > 0) {
        onShow('flows');
      } else if (failing.length > 0) {
        ask(true);
      } else {
        onApply();
      }
    },
  });
  const failing = check.data?.failing ?? [];
  return (
    <>
      <GuardedButton
        barred={barred}
        size="sm"
        loading={check.isPending || isBusy}
        onClick={() => {
          check.mutate();
        }}
      >
        {t('apply', { count: changeSet.object_count })}
      </GuardedButton>
      <Modal
        opened={isAsked}
        title={t('assertions:draft.warnTitle')}
        onClose={() => {
          ask(false);
        }}
      >
        <p>{t('assertions:draft.warn', { count: failing.length })}</p>
        <ul>
          {failing.slice(0, shown).map(({ draft }) => (
            <li key={draft.assertion_id}>{draft.name}</li>
          ))}
        </ul>
        {failing.length > shown && <p>{t('assertions:draft.more', { count: failing.length - shown })}</p>}
        <Group gap={8}>
          <Button
            variant="default"
            onClick={() => {
              ask(false);
              onShow('assertions');
            }}
          >
            {t('assertions:draft.back')}
          </Button>
          <Button
            onClick={() => {
              ask(false);
              onApply();
            }}
          >
            {t('assertions:draft.apply')}
          </Button>
        </Group>
      </Modal>
    </>
  );
}
