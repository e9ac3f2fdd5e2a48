import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { useMissingRight } from '@/hooks/use-rights';

import { fieldsOf } from '../form-values';
import { kinds, type KindName } from '../kinds';
import type { ListFilter } from '../use-object-list';
import type { SelectedRows } from '../use-selected-rows';
import { BulkDialog } from './bulk-dialog';
import classes from './objects.module.css';

type Props = { kind: KindName; selected: SelectedRows; total: number; filter: ListFilter; draft: number | null };

/** What can be done with the rows that are ticked; it stays in sight below the list. */
export function BulkBar({ kind, selected, total, filter, draft }: Props) {
  const { t } = useTranslation('objects');
  const missing = useMissingRight('edit');
  const [action, setAction] = useState<'alter' | 'drop' | null>(null);
  const count = selected.isAll ? total : selected.names.length;
  if (count === 0) {
    return <div hidden />;
  }
  const canEdit = fieldsOf(kind, 'alter').some(({ isSingle }) => isSingle !== true);
  return (
    <div className={classes.bulk} role="toolbar" aria-label={t('selected', { count })}>
      <strong>{t('selected', { count })}</strong>
      {!selected.isAll && count < total && (
        <Button size="compact-xs" variant="subtle" onClick={selected.all}>
          {t('selectAll', { count: total })}
        </Button>
      )}
      {canEdit && (
        <GuardedButton
          barred={missing}
          size="xs"
          onClick={() => {
            setAction('alter');
          }}
        >
          {t('edit')}
        </GuardedButton>
      )}
      {kinds[kind].canDrop && (
        <GuardedButton
          barred={missing}
          size="xs"
          variant="default"
          color="red"
          onClick={() => {
            setAction('drop');
          }}
        >
          {t('drop')}
        </GuardedButton>
      )}
      <Button size="xs" variant="subtle" color="gray" onClick={selected.clear}>
        {t('clearSelection')}
      </Button>
      {action !== null && (
        <BulkDialog
          kind={kind}
          action={action}
          count={count}
          selection={selected.isAll ? { filter: { changed: false, ...filter } } : { objects: selected.names }}
          draft={draft}
          onClose={(isDone) => {
            setAction(null);
            if (isDone && action === 'drop') {
              selected.clear();
            }
          }}
        />
      )}
    </div>
  );
}
