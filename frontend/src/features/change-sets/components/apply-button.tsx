import { Button, Group, Modal } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';

import type { DraftAssertions } from '../use-draft-assertions';

type Props = {
  barred: string | null;
  count: number;
  isBusy: boolean;
  found: DraftAssertions | undefined;
  onApply: () => void;
  onShow: () => void;
};

/** So many names are read; the others are in the tab. */
const shown = 10;

/** Makes a draft live. Assertions that newly fail with it are named before: a warning, that one may set aside. */
export function ApplyButton({ barred, count, isBusy, found, onApply, onShow }: Props) {
  const { t } = useTranslation(['review', 'assertions']);
  const [isAsked, ask] = useState(false);
  const failing = found?.failing ?? [];
  return (
    <>
      <GuardedButton
        barred={barred}
        size="sm"
        loading={isBusy}
        onClick={() => {
          if (failing.length > 0) {
            ask(true);
          } else {
            onApply();
          }
        }}
      >
        {t('apply', { count })}
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
              onShow();
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
