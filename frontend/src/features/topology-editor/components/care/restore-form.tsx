import { Button, Checkbox, Group, Modal, Radio, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';

import { ConfirmName } from '@/components/ui/confirm-name';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Backup, Estate } from '@/contracts/api';
import { asProblem } from '@/lib/errors';
import { tellDone } from '@/lib/notices';
import type { DatabasePath } from '@/topology/selection';

import { attachDatabase, restoreDatabase } from '../../api/database-restore';
import { BusyBar } from './busy-bar';
import classes from './care.module.css';
import { Consequences } from './consequences';
import { choiceWords, consequencesOf, objection, replacedBy, replacesAnother, type Choice, type Plan } from './restore-choices';
import { useChange } from './use-change';

type Props = { estate: Estate; path: DatabasePath; backup: Backup; onClose: () => void };

const choices: readonly Choice[] = ['ENABLE_BROKER', 'ERROR_BROKER_CONVERSATIONS', 'NEW_BROKER', 'keep', 'norecovery'];

/** Where a backup goes, what becomes of its broker id, and what that means, before it is done. */
export function RestoreForm({ estate, path, backup, onClose }: Props) {
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
      tellDone(done.notice_text === '' ? `${database} is on ${instance}.` : `${database} is on ${instance}. ${done.notice_text}`);
      onClose();
    },
  );
  const against = objection(plan) ?? (needsReplace && !mayReplace ? 'Say first that another database may be replaced.' : null);
  const start = () => {
    if (against === null) {
      run.mutate();
    }
  };
  const rest = (
    <>
      <Consequences of="the restore">{consequencesOf(plan)}</Consequences>
      {needsReplace && present !== null && (
        <Checkbox
          mb="md"
          checked={mayReplace}
          onChange={(event) => {
            setMayReplace(event.currentTarget.checked);
          }}
          label={`Replace ${present.name}, which is another database with another broker id (REPLACE)`}
        />
      )}
      {against !== null && <p className={classes.against}>{against}</p>}
      {run.isPending && <BusyBar>{`${instance} is bringing ${database} back…`}</BusyBar>}
      {run.isError && <ProblemPanel problem={asProblem(run.error)} />}
    </>
  );
  return (
    <Modal opened onClose={onClose} title={`Restore ${backup.name}`} size="lg">
      <div className={classes.stack}>
        <Group grow align="flex-start">
          <Select
            label="Instance"
            data={estate.instances.map((one) => one.name)}
            value={instance}
            allowDeselect={false}
            onChange={(value) => {
              setInstance(value ?? path.instance);
            }}
          />
          <TextInput
            label="Database"
            value={database}
            onChange={(event) => {
              setDatabase(event.currentTarget.value);
            }}
            spellCheck={false}
            classNames={{ input: classes.mono ?? '' }}
          />
        </Group>
        <Radio.Group
          label="Broker id and conversations"
          value={choice}
          onChange={(value) => {
            setChoice(value);
          }}
        >
          <Stack gap={8} mt={6}>
            {choices.map((one) => (
              <Radio key={one} value={one} label={choiceWords[one].title} description={choiceWords[one].purpose} />
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
                Cancel
              </Button>
              <Button type="submit" disabled={against !== null} loading={run.isPending}>
                Restore as a new database
              </Button>
            </Group>
          </form>
        ) : (
          <ConfirmName key={present.name} name={present.name} verb="Restore over it" isBusy={run.isPending} onConfirm={start} onCancel={onClose}>
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
  return restoreDatabase(estate.name, instance, { ...body, replaces: mayReplace, is_recovered: choice !== 'norecovery' }, key);
}
