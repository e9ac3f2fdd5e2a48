import { Button, Checkbox, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { Section } from '@/components/ui/section';
import { asProblem } from '@/lib/errors';
import { tellDone } from '@/lib/notices';
import { keys } from '@/lib/query-client';

import { passwordSet } from '../api/tokens';
import classes from './account.module.css';

/** Another password, or the first one of somebody who came by a login link. */
export function PasswordSection() {
  const { t } = useTranslation('account');
  const queries = useQueryClient();
  const [current, setCurrent] = useState('');
  const [fresh, setFresh] = useState('');
  const [endsTokens, setEndsTokens] = useState(false);
  const change = useMutation({
    mutationFn: passwordSet,
    onSuccess: () => {
      setCurrent('');
      setFresh('');
      if (endsTokens) void queries.invalidateQueries({ queryKey: keys.tokens });
      setEndsTokens(false);
      tellDone(t('password.done'));
    },
  });
  return (
    <Section title={t('password.heading')} isOfPage>
      <form
        className={classes.narrow}
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate({
            current_password: current === '' ? null : current,
            new_password: fresh,
            ends_tokens: endsTokens,
          });
        }}
      >
        {change.isError && <ProblemPanel problem={asProblem(change.error)} />}
        <PasswordInput
          label={t('password.current')}
          description={t('password.currentHint')}
          autoComplete="current-password"
          value={current}
          onChange={(event) => {
            setCurrent(event.currentTarget.value);
          }}
        />
        <PasswordInput
          label={t('password.new')}
          description={t('password.newHint')}
          autoComplete="new-password"
          value={fresh}
          onChange={(event) => {
            setFresh(event.currentTarget.value);
          }}
        />
        <Checkbox
          label={t('password.endsTokens')}
          checked={endsTokens}
          onChange={(event) => {
            setEndsTokens(event.currentTarget.checked);
          }}
        />
        <div>
          <Button type="submit" size="sm" loading={change.isPending} disabled={fresh === ''}>
            {t('password.set')}
          </Button>
        </div>
      </form>
    </Section>
  );
}
