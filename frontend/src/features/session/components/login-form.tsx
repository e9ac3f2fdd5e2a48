import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Person } from '@/contracts/api';
import { logIn } from '@/lib/api/log-in';
import { asProblem } from '@/lib/errors';

import classes from './login-form.module.css';

/** Name and password. Whoever filled in a form when the session ended finds it again behind this. */
export function LoginForm({ onLoggedIn }: { onLoggedIn: (person: Person) => void }) {
  const { t } = useTranslation('session');
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const login = useMutation({ mutationFn: logIn, onSuccess: onLoggedIn });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        login.mutate({ username, password });
      }}
    >
      {login.isError && <ProblemPanel problem={asProblem(login.error)} />}
      <TextInput
        label={t('username')}
        autoComplete="username"
        required
        value={username}
        onChange={(event) => {
          setUsername(event.currentTarget.value);
        }}
        data-autofocus
      />
      <PasswordInput
        label={t('password')}
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => {
          setPassword(event.currentTarget.value);
        }}
      />
      <Button type="submit" size="sm" loading={login.isPending}>
        {t('submit')}
      </Button>
    </form>
  );
}
