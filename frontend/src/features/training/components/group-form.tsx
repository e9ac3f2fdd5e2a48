import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import type { TrainingGroup } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import { trainingKeys } from '../api/training';
import classes from './training.module.css';

type Given = { name: string; members: string };

type Props = {
  /** What it is called for who hears it. */
  label: string;
  nameLabel: string;
  begin: Given;
  verb: string;
  keep: (name: string, members: string[]) => Promise<TrainingGroup>;
  onKept: () => void;
  children?: ReactNode;
};

/** Name and members of a group, new or as it is to be. */
export function GroupForm({ label, nameLabel, begin, verb, keep, onKept, children }: Props) {
  const { t } = useTranslation('training');
  const queries = useQueryClient();
  const [given, setGiven] = useState(begin);
  const kept = useMutation({
    mutationFn: () =>
      keep(
        given.name.trim(),
        given.members
          .split(',')
          .map((each) => each.trim())
          .filter((each) => each !== ''),
      ),
    onSuccess: async () => {
      setGiven(begin);
      await queries.invalidateQueries({ queryKey: trainingKeys.groups() });
      onKept();
    },
  });
  return (
    <form
      className={classes.groupForm}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        kept.mutate();
      }}
    >
      <TextInput
        size="xs"
        label={nameLabel}
        value={given.name}
        required
        maxLength={100}
        onChange={({ currentTarget: { value: name } }) => {
          setGiven({ ...given, name });
        }}
      />
      <TextInput
        size="xs"
        className={classes.members ?? ''}
        label={t('group.members')}
        value={given.members}
        onChange={({ currentTarget: { value: members } }) => {
          setGiven({ ...given, members });
        }}
      />
      <Button size="xs" type="submit" loading={kept.isPending}>
        {verb}
      </Button>
      {children}
      {kept.error !== null && <ProblemPanel problem={asProblem(kept.error)} />}
    </form>
  );
}
