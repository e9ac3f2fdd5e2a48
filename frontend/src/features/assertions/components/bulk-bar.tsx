import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ToolBar } from '@/components/ui/page';
import { useMissingRight } from '@/hooks/use-rights';

import { useBulk, useRun } from '../use-assertions';

type Props = { estate: string; ids: number[]; onDone: () => void };

/** What can be done to the assertions that are picked. */
export function BulkBar({ estate, ids, onDone }: Props) {
  const { t } = useTranslation('assertions');
  const missing = useMissingRight('edit');
  const run = useRun(estate);
  const bulk = useBulk(estate);
  const [tag, setTag] = useState('');
  const [isAsked, askDelete] = useState(false);
  if (ids.length === 0) {
    return null;
  }
  const common = { size: 'xs', variant: 'default' } as const;
  const tagBarred = missing ?? (tag.trim() === '' ? t('bulk.nameTag') : null);
  return (
    <ToolBar>
      <span role="status">{t('bulk.picked', { count: ids.length })}</span>
      <Button
        {...common}
        loading={run.isPending}
        onClick={() => {
          run.mutate(ids);
        }}
      >
        {t('bulk.run')}
      </Button>
      {(['enable', 'disable'] as const).map((action) => (
        <GuardedButton
          key={action}
          {...common}
          barred={missing}
          onClick={() => {
            bulk.mutate({ ids, action });
          }}
        >
          {t(`bulk.${action}`)}
        </GuardedButton>
      ))}
      <TextInput
        size="xs"
        aria-label={t('bulk.tag')}
        placeholder={t('bulk.tag')}
        value={tag}
        maxLength={40}
        onChange={(event) => {
          setTag(event.currentTarget.value);
        }}
      />
      {(['add-tag', 'remove-tag'] as const).map((action) => (
        <GuardedButton
          key={action}
          {...common}
          barred={tagBarred}
          onClick={() => {
            bulk.mutate({ ids, action, tag: tag.trim() });
          }}
        >
          {t(`bulk.${action}`)}
        </GuardedButton>
      ))}
      <GuardedButton
        {...common}
        variant="outline"
        color="red"
        barred={missing}
        onClick={() => {
          askDelete(true);
        }}
      >
        {t('bulk.delete')}
      </GuardedButton>
      <Modal
        opened={isAsked}
        title={t('bulk.deleteTitle', { count: ids.length })}
        onClose={() => {
          askDelete(false);
        }}
      >
        <p>{t('bulk.deleteText')}</p>
        <Group gap={8}>
          <Button
            variant="default"
            onClick={() => {
              askDelete(false);
            }}
          >
            {t('bulk.keep')}
          </Button>
          <Button
            color="red"
            onClick={() => {
              bulk.mutate({ ids, action: 'delete' });
              onDone();
            }}
          >
            {t('bulk.delete')}
          </Button>
        </Group>
      </Modal>
    </ToolBar>
  );
}
