import { ActionIcon, Skeleton, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { Section } from '@/components/ui/section';
import type { Backup, Estate } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { asProblem } from '@/lib/errors';
import { tellDone } from '@/lib/notices';
import type { DatabasePath } from '@/topology/selection';
import { shortId } from '@/topology/words';

import { deleteBackup } from '../../api/backup-delete';
import { takeBackup } from '../../api/backup-take';
import { backupsQuery } from '../../api/backups-list';
import { detachDatabase } from '../../api/database-detach';
import { BusyBar } from '@/components/confirm/busy-bar';
import classes from './care.module.css';
import { ConfirmChange } from '@/components/confirm/confirm-change';
import { RestoreForm } from './restore-form';
import { useChange } from '@/components/confirm/use-change';

type Props = { estate: Estate; path: DatabasePath; barsDetach: string | null; onDetached: () => void };
type Asked = { what: 'restore' | 'delete'; backup: Backup } | { what: 'detach' } | null;

/** Backups of the estate, those of this database first; taking one, restoring one, and detaching into one. */
export function BackupSection({ estate, path, barsDetach, onDetached }: Props) {
  const { t } = useTranslation('care');
  const operate = useMissingRight('operate');
  const edit = useMissingRight('edit');
  const [asked, setAsked] = useState<Asked>(null);
  const backups = useQuery(backupsQuery(estate.name));
  const take = useChange(
    estate.name,
    () => takeBackup(estate.name, path, null),
    (taken) => {
      tellDone(t('backup.taken', { name: taken.name, conversations: taken.conversations, messages: taken.messages }));
    },
  );
  const isOwn = (backup: Backup) => backup.instance === path.instance && backup.database === path.database;
  const shown = [...(backups.data ?? []).filter(isOwn), ...(backups.data ?? []).filter((backup) => !isOwn(backup))];
  const close = () => {
    setAsked(null);
  };
  return (
    <Section
      title={backups.data === undefined ? t('backup.heading') : t('backup.count', { count: shown.length })}
      aside={
        <GuardedButton
          barred={operate}
          size="compact-xs"
          variant="default"
          loading={take.isPending}
          onClick={() => {
            take.mutate();
          }}
        >
          {t('backup.take')}
        </GuardedButton>
      }
    >
      {take.isPending && <BusyBar>{t('backup.busy', path)}</BusyBar>}
      {take.isError && <ProblemPanel problem={asProblem(take.error)} />}
      {backups.isPending && <Skeleton height={34} role="progressbar" aria-label={t('backup.loading')} />}
      {backups.isError && <ProblemPanel problem={asProblem(backups.error)} onRetry={() => void backups.refetch()} />}
      {backups.isSuccess && shown.length === 0 && <p className={classes.none}>{t('backup.none')}</p>}
      <ul className={classes.list}>
        {shown.map((backup) => (
          <BackupLine
            key={backup.id}
            backup={backup}
            missing={edit}
            onRestore={() => {
              setAsked({ what: 'restore', backup });
            }}
            onDelete={() => {
              setAsked({ what: 'delete', backup });
            }}
          />
        ))}
      </ul>
      <div className={classes.row}>
        <GuardedButton
          barred={edit ?? barsDetach}
          size="compact-sm"
          variant="default"
          onClick={() => {
            setAsked({ what: 'detach' });
          }}
        >
          {t('detach.open')}
        </GuardedButton>
      </div>
      {asked?.what === 'restore' && <RestoreForm estate={estate} path={path} backup={asked.backup} onClose={close} />}
      {asked?.what === 'delete' && (
        <ConfirmChange
          estate={estate.name}
          name={asked.backup.name}
          title={t('delete.title', { name: asked.backup.name })}
          verb={t('delete.verb')}
          busy={t('delete.busy')}
          consequences={[
            t('delete.lost', sizeOf(asked.backup)),
            ...(asked.backup.is_detached ? [t('delete.only')] : []),
          ]}
          run={() => deleteBackup(estate.name, asked.backup.id)}
          onDone={() => {
            tellDone(t('delete.done', { name: asked.backup.name }));
            close();
          }}
          onCancel={close}
        />
      )}
      {asked?.what === 'detach' && (
        <ConfirmChange
          estate={estate.name}
          name={path.database}
          title={t('detach.title', path)}
          verb={t('detach.verb')}
          busy={t('detach.busy', path)}
          consequences={[t('detach.leaves', path), t('detach.untold'), t('detach.stays')]}
          run={(key) => detachDatabase(estate.name, path, key)}
          onDone={({ backup }) => {
            tellDone(t('detach.done', { database: path.database, name: backup.name }));
            close();
            onDetached();
          }}
          onCancel={close}
        />
      )}
    </Section>
  );
}

/** What a backup is of, and how much it holds. */
const sizeOf = ({ instance, database, conversations, messages }: Backup) => ({
  instance,
  database,
  conversations,
  messages,
});

type LineProps = { backup: Backup; missing: string | null; onRestore: () => void; onDelete: () => void };

function BackupLine({ backup, missing, onRestore, onDelete }: LineProps) {
  const { t } = useTranslation('care');
  const taken = new Date(backup.taken_at);
  return (
    <li className={classes.backup}>
      <span>
        <strong>{backup.name}</strong>
        <span className={classes.small}>
          {t('backup.line', { ...sizeOf(backup), detached: backup.is_detached ? 'yes' : 'no' })}
        </span>
        <time
          className={classes.small}
          dateTime={backup.taken_at}
          title={t('backup.atTitle', { at: taken.toISOString(), id: backup.broker_instance })}
        >
          {t('backup.at', {
            at: taken.toISOString().slice(0, 19).replace('T', ' '),
            id: shortId(backup.broker_instance),
            taken: backup.taken_by === null ? 'no' : 'yes',
            author: backup.taken_by ?? '',
          })}
        </time>
      </span>
      <span>
        <GuardedButton
          barred={missing}
          size="compact-xs"
          variant="default"
          aria-label={t('backup.restoreNamed', { name: backup.name })}
          onClick={onRestore}
        >
          {t('backup.restore')}
        </GuardedButton>{' '}
        {missing === null && (
          <Tooltip label={t('backup.delete')}>
            <ActionIcon
              size={22}
              variant="subtle"
              color="gray"
              aria-label={t('backup.deleteNamed', { name: backup.name })}
              onClick={onDelete}
            >
              <IconTrash size={14} />
            </ActionIcon>
          </Tooltip>
        )}
      </span>
    </li>
  );
}
