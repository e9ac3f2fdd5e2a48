import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { Section } from '@/components/ui/section';
import plain from '@/components/ui/plain-table.module.css';
import type { TrainingGroup } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import { createGroup, groupsQuery, progressQuery, trainingKeys } from '../api/training';
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
      <NewGroup />
    </div>
  );
}

function Group({ group }: { group: TrainingGroup }) {
  const { t } = useTranslation('training');
  const { data } = useQuery(progressQuery(group.id));
  return (
    <Section title={group.name}>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard */}
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={group.name}>
        <table className={plain.table}>
          <caption>{group.name}</caption>
          <thead>
            <tr>
              <th scope="col">{t('group.member')}</th>
              {data?.scenarios.map(({ id, title }) => (
                <th key={id} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data?.members.map(({ username, scenarios }) => (
              <tr key={username}>
                <th scope="row">{username}</th>
                {scenarios.map(({ scenario, best_score: best, running, runs }) => (
                  <td key={scenario}>
                    {running !== null
                      ? t('group.running')
                      : best !== null
                        ? t('score', { score: best })
                        : runs > 0
                          ? t('group.tried')
                          : '–'}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

function NewGroup() {
  const { t } = useTranslation('training');
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [members, setMembers] = useState('');
  const create = useMutation({
    mutationFn: () =>
      createGroup(
        name.trim(),
        members
          .split(',')
          .map((each) => each.trim())
          .filter((each) => each !== ''),
      ),
    onSuccess: () => {
      setName('');
      setMembers('');
      void queries.invalidateQueries({ queryKey: [...trainingKeys.all, 'groups'] });
    },
  });
  return (
    <form
      className={classes.newGroup}
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <TextInput
        size="xs"
        label={t('group.name')}
        value={name}
        required
        maxLength={100}
        onChange={(event) => {
          setName(event.currentTarget.value);
        }}
      />
      <TextInput
        size="xs"
        label={t('group.members')}
        value={members}
        onChange={(event) => {
          setMembers(event.currentTarget.value);
        }}
      />
      <Button size="xs" type="submit" loading={create.isPending}>
        {t('group.create')}
      </Button>
      {create.error !== null && <ProblemPanel problem={asProblem(create.error)} />}
    </form>
  );
}
