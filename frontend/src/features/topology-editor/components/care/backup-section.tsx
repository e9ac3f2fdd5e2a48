import { ActionIcon, Skeleton, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { Section } from '@/components/ui/section';
import type { Backup, Estate } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { asProblem } from '@/lib/errors';
import { tellDone } from '@/lib/notices';
import type { DatabasePath } from '@/topology/selection';
import { counted, shortId } from '@/topology/words';

import { deleteBackup } from '../../api/backup-delete';
import { takeBackup } from '../../api/backup-take';
import { backupsQuery } from '../../api/backups-list';
import { detachDatabase } from '../../api/database-detach';
import { BusyBar } from './busy-bar';
import classes from './care.module.css';
import { ConfirmChange } from './confirm-change';
import { RestoreForm } from './restore-form';
import { useChange } from './use-change';

type Props = { estate: Estate; path: DatabasePath; barsDetach: string | null; onDetached: () => void };
type Asked = { what: 'restore' | 'delete'; backup: Backup } | { what: 'detach' } | null;

/** Backups of the estate, those of this database first; taking one, restoring one, and detaching into one. */
export function BackupSection({ estate, path, barsDetach, onDetached }: Props) {
  const operate = useMissingRight('operate');
  const edit = useMissingRight('edit');
  const [asked, setAsked] = useState<Asked>(null);
  const backups = useQuery(backupsQuery(estate.name));
  const take = useChange(
    estate.name,
    () => takeBackup(estate.name, path, null),
    (taken) => {
      tellDone(`Backup ${taken.name} holds ${counted(taken.conversations, 'conversation')} and ${counted(taken.messages, 'message')}.`);
    },
  );
  const isOwn = (backup: Backup) => backup.instance === path.instance && backup.database === path.database;
  const shown = [...(backups.data ?? []).filter(isOwn), ...(backups.data ?? []).filter((backup) => !isOwn(backup))];
  const close = () => {
    setAsked(null);
  };
  return (
    <Section
      title={backups.data === undefined ? 'Backups of this estate' : `Backups of this estate (${shown.length})`}
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
          Take a backup
        </GuardedButton>
      }
    >
      {take.isPending && <BusyBar>{`${path.instance} is saving ${path.database}…`}</BusyBar>}
      {take.isError && <ProblemPanel problem={asProblem(take.error)} />}
      {backups.isPending && <Skeleton height={34} aria-label="Loading backups" />}
      {backups.isError && <ProblemPanel problem={asProblem(backups.error)} onRetry={() => void backups.refetch()} />}
      {backups.isSuccess && shown.length === 0 && (
        <p className={classes.none}>None yet. A backup holds the definitions, conversations and messages of one database.</p>
      )}
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
          Detach…
        </GuardedButton>
      </div>
      {asked?.what === 'restore' && <RestoreForm estate={estate} path={path} backup={asked.backup} onClose={close} />}
      {asked?.what === 'delete' && (
        <ConfirmChange
          estate={estate.name}
          name={asked.backup.name}
          title={`Delete backup ${asked.backup.name}`}
          verb="Delete backup"
          busy="The backup is being deleted…"
          consequences={[
            `${counted(asked.backup.conversations, 'conversation')} and ${counted(asked.backup.messages, 'message')} of ${asked.backup.database} are gone for good, unless ${asked.backup.instance} still has them.`,
            ...(asked.backup.is_detached ? ['The database was detached into this backup: it may be the only copy.'] : []),
          ]}
          run={() => deleteBackup(estate.name, asked.backup.id)}
          onDone={() => {
            tellDone(`Backup ${asked.backup.name} is deleted.`);
            close();
          }}
          onCancel={close}
        />
      )}
      {asked?.what === 'detach' && (
        <ConfirmChange
          estate={estate.name}
          name={path.database}
          title={`Detach ${path.database} from ${path.instance}`}
          verb="Detach"
          busy={`${path.instance} is saving and releasing ${path.database}…`}
          consequences={[
            `${path.database} leaves ${path.instance} with everything in it; a backup of this estate keeps it until it is attached again.`,
            'No peer is told: messages for it wait at their senders until their lifetime ends.',
            'Routes of msdb, the endpoint and the certificates of the instance stay behind.',
          ]}
          run={(key) => detachDatabase(estate.name, path, key)}
          onDone={({ backup }) => {
            tellDone(`${path.database} is detached; backup ${backup.name} has it.`);
            close();
            onDetached();
          }}
          onCancel={close}
        />
      )}
    </Section>
  );
}

type LineProps = { backup: Backup; missing: string | null; onRestore: () => void; onDelete: () => void };

function BackupLine({ backup, missing, onRestore, onDelete }: LineProps) {
  const taken = new Date(backup.taken_at);
  return (
    <li className={classes.backup}>
      <span>
        <strong>{backup.name}</strong>
        <span className={classes.small}>
          {backup.instance} · {backup.database} · {counted(backup.conversations, 'conversation')}, {counted(backup.messages, 'message')}
          {backup.is_detached ? ' · detached' : ''}
        </span>
        <time className={classes.small} dateTime={backup.taken_at} title={`${taken.toISOString()} · broker id ${backup.broker_instance}`}>
          {taken.toISOString().slice(0, 19).replace('T', ' ')} UTC · id {shortId(backup.broker_instance)}
          {backup.taken_by === null ? '' : ` · by ${backup.taken_by}`}
        </time>
      </span>
      <span>
        <GuardedButton barred={missing} size="compact-xs" variant="default" aria-label={`Restore ${backup.name}`} onClick={onRestore}>
          Restore…
        </GuardedButton>{' '}
        {missing === null && (
          <Tooltip label="Delete this backup">
            <ActionIcon size={22} variant="subtle" color="gray" aria-label={`Delete ${backup.name}`} onClick={onDelete}>
              <IconTrash size={14} />
            </ActionIcon>
          </Tooltip>
        )}
      </span>
    </li>
  );
}
