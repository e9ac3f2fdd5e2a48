import { Button, Checkbox, Group, Modal, Radio, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ConfirmName } from '@/components/ui/confirm-name';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Backup, Estate } from '@/contracts/api';
import { asProblem } from '@/lib/errors';
import { tellDone } from '@/lib/notices';
import type { DatabasePath } from '@/topology/selection';

import { attachDatabase, restoreDatabase } from '../../api/database-restore';
import { BusyBar } from '@/components/confirm/busy-bar';
import classes from './care.module.css';
import { Consequences } from '@/components/confirm/consequences';
import { consequencesOf, objection, replacedBy, replacesAnother, type Choice, type Plan } from './restore-choices';
import { useChange } from '@/components/confirm/use-change';

type Props = { estate: Estate; path: DatabasePath; backup: Backup; onClose: () => void };

const choices: readonly Choice[] = ['ENABLE_BROKER', 'ERROR_BROKER_CONVERSATIONS', 'NEW_BROKER', 'keep', 'norecovery'];

/** Where a backup goes, what becomes of its broker id, and what that means, before it is done. */
export function RestoreForm({ estate, path, backup, onClose }: Props) {
  const { t } = useTranslation('care');
  const [instance, setInstance] = useState(path.instance);
  const [database, setDatabase] = useState(path.database);
  const [choice, setChoice] = useState<Choice>('ENABLE_BROKER');
  const [mayReplace, setMayReplace] = useState(false);
  const plan: Plan = { estate, backup, instance, database, choice };
  const present = replacedBy(plan);
  const needsReplace = replacesAnother(plan);
  const run = useChange(
    estate.name,
    (key) => carryOut(plan, mayReplace, key),
    (done) => {
      tellDone(t('restore.done', { database, instance, notice: done.notice_text === '' ? 'none' : done.notice_text }));
      onClose();
    },
  );
  const against = objection(plan) ?? (needsReplace && !mayReplace ? t('restore.sayFirst') : null);
  const start = () => {
    if (against === null) {
      run.mutate();
    }
  };
  const rest = (
    <>
      <Consequences of={t('restore.title', { name: backup.name })}>{consequencesOf(plan)}</Consequences>
      {needsReplace && present !== null && (
        <Checkbox
          mb="md"
          checked={mayReplace}
          onChange={(event) => {
            setMayReplace(event.currentTarget.checked);
          }}
          label={t('restore.replace', { name: present.name })}
        />
      )}
      {against !== null && <p className={classes.against}>{against}</p>}
      {run.isPending && <BusyBar>{t('restore.busy', { instance, database })}</BusyBar>}
      {run.isError && <ProblemPanel problem={asProblem(run.error)} />}
    </>
  );
  return (
    <Modal opened onClose={onClose} title={t('restore.title', { name: backup.name })} size="lg">
      <div className={classes.stack}>
        <Group grow align="flex-start">
          <Select
            label={t('restore.instance')}
            data={estate.instances.map((one) => one.name)}
            value={instance}
            allowDeselect={false}
            onChange={(value) => {
              setInstance(value ?? path.instance);
            }}
          />
          <TextInput
            label={t('restore.database')}
            value={database}
            onChange={(event) => {
              setDatabase(event.currentTarget.value);
            }}
            spellCheck={false}
            classNames={{ input: classes.mono ?? '' }}
          />
        </Group>
        <Radio.Group
          label={t('restore.choice')}
          value={choice}
          onChange={(value) => {
            setChoice(value);
          }}
        >
          <Stack gap={8} mt={6}>
            {choices.map((one) => (
              <Radio key={one} value={one} label={t(`choice.${one}.title`)} description={t(`choice.${one}.purpose`)} />
            ))}
          </Stack>
        </Radio.Group>
        {present === null ? (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              start();
            }}
          >
            {rest}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {t('restore.cancel')}
              </Button>
              <Button type="submit" disabled={against !== null} loading={run.isPending}>
                {t('restore.asNew')}
              </Button>
            </Group>
          </form>
        ) : (
          <ConfirmName
            key={present.name}
            name={present.name}
            verb={t('restore.over')}
            isBusy={run.isPending}
            onConfirm={start}
            onCancel={onClose}
          >
            {rest}
          </ConfirmName>
        )}
      </div>
    </Modal>
  );
}

function carryOut(plan: Plan, mayReplace: boolean, key: string) {
  const { estate, backup, instance, database, choice } = plan;
  const option = choice === 'keep' || choice === 'norecovery' ? null : choice;
  const body = { backup: backup.id, database, option };
  if (replacedBy(plan) === null && choice !== 'norecovery') {
    return attachDatabase(estate.name, instance, body, key);
  }
  return restoreDatabase(
    estate.name,
    instance,
    { ...body, replaces: mayReplace, is_recovered: choice !== 'norecovery' },
    key,
  );
}
