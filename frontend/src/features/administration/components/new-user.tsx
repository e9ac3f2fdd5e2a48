import { Button, Select, Switch, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { SideForm } from '@/components/ui/side-form';
import type { Role } from '@/contracts/api';
import { asProblem } from '@/lib/errors';
import { keys } from '@/lib/query-client';

import { userCreate } from '../api/users';
import { useRoles } from '../use-roles';

/** A user to be: name, role, and whether they read message bodies. */
export function NewUser({ onClose, onMade }: { onClose: () => void; onMade: (username: string) => void }) {
  const { t } = useTranslation('administration');
  const roles = useRoles();
  const queries = useQueryClient();
  const [username, setUsername] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [reads, setReads] = useState(false);
  const make = useMutation({
    mutationFn: userCreate,
    onSuccess: async (user) => {
      await queries.invalidateQueries({ queryKey: keys.users });
      onMade(user.username);
    },
  });
  return (
    <SideForm
      label={t('new.button')}
      kind={t('new.kind')}
      name={username === '' ? t('new.button') : username}
      place={t('new.text')}
      onClose={onClose}
      onSubmit={() => {
        make.mutate({ username: username.trim(), role, reads_payloads: reads });
      }}
      actions={
        <Button type="submit" size="sm" loading={make.isPending} disabled={username.trim() === ''}>
          {t('new.make')}
        </Button>
      }
    >
      {make.isError && <ProblemPanel problem={asProblem(make.error)} />}
      <TextInput
        label={t('name')}
        value={username}
        required
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        onChange={(event) => {
          setUsername(event.currentTarget.value);
        }}
      />
      <Select
        label={t('role')}
        data={roles}
        value={role}
        allowDeselect={false}
        onChange={(chosen) => {
          setRole(chosen ?? 'viewer');
        }}
        description={t(`may.${role}`)}
      />
      <Switch
        label={t('payloads')}
        description={t('payloadsText')}
        checked={reads}
        onChange={(event) => {
          setReads(event.currentTarget.checked);
        }}
      />
    </SideForm>
  );
}
