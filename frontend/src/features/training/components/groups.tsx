import { Button } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { Section } from '@/components/ui/section';
import type { TrainingGroup } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import { changeGroup, createGroup, deleteGroup, groupsQuery, trainingKeys } from '../api/training';
import { GroupForm } from './group-form';
import { GroupProgress } from './group-progress';
import classes from './training.module.css';

/** What a trainer's groups have made of the scenarios. */
export function Groups() {
  const { t } = useTranslation('training');
  const { data, error } = useQuery(groupsQuery());
  return (
    <div className={classes.groups}>
      <h2>{t('group.heading')}</h2>
      {error !== null && <ProblemPanel problem={asProblem(error)} />}
      {data?.groups.map((group) => (
        <Group key={group.id} group={group} />
      ))}
      <GroupForm
        label={t('group.create')}
        nameLabel={t('group.name')}
        begin={{ name: '', members: '' }}
        verb={t('group.create')}
        keep={createGroup}
        onKept={() => undefined}
      />
    </div>
  );
}

function Group({ group }: { group: TrainingGroup }) {
  const { t } = useTranslation('training');
  const [asked, ask] = useState<'change' | 'delete' | null>(null);
  const close = () => {
    ask(null);
  };
  return (
    <Section
      title={group.name}
      aside={
        <span className={classes.actions}>
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<IconPencil size={13} />}
            aria-label={t('group.changeNamed', { name: group.name })}
            onClick={() => {
              ask('change');
            }}
          >
            {t('group.change')}
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<IconTrash size={13} />}
            aria-label={t('group.deleteNamed', { name: group.name })}
            onClick={() => {
              ask('delete');
            }}
          >
            {t('group.delete')}
          </Button>
        </span>
      }
    >
      {asked === 'change' && (
        <GroupForm
          label={t('group.changeNamed', { name: group.name })}
          nameLabel={t('group.newName')}
          begin={{ name: group.name, members: group.members.join(', ') }}
          verb={t('group.keep')}
          keep={(name, members) => changeGroup(group.id, name, members)}
          onKept={close}
        >
          <Button size="xs" variant="default" onClick={close}>
            {t('group.cancel')}
          </Button>
        </GroupForm>
      )}
      {asked === 'delete' && <DeleteGroup group={group} onCancel={close} />}
      <GroupProgress group={group} />
    </Section>
  );
}

/** What its members have done stays: so it is asked, and no name is typed. */
function DeleteGroup({ group, onCancel }: { group: TrainingGroup; onCancel: () => void }) {
  const { t } = useTranslation('training');
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteGroup(group.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: trainingKeys.groups() }),
  });
  return (
    <div className={classes.groupForm} role="group" aria-label={t('group.deleteNamed', { name: group.name })}>
      <span>{t('group.deleteSure', { name: group.name })}</span>
      <Button
        size="xs"
        color="red"
        loading={remove.isPending}
        onClick={() => {
          remove.mutate();
        }}
      >
        {t('group.deleteYes')}
      </Button>
      <Button size="xs" variant="default" onClick={onCancel}>
        {t('group.cancel')}
      </Button>
      {remove.error !== null && <ProblemPanel problem={asProblem(remove.error)} />}
    </div>
  );
}
