import { Modal, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { useAccountPreferences } from '@/hooks/use-preferences';
import { PersonContext, SessionOverContext } from '@/hooks/use-rights';
import { meQuery } from '@/lib/api/me-read';
import { asProblem } from '@/lib/errors';
import { keys } from '@/lib/query-client';
import { onSession, tellSession } from '@/lib/session-events';

import { LoginForm } from './login-form';
import classes from './session-gate.module.css';

/**
 * Lets pass who is logged in. When the session ends meanwhile, it asks again without taking the page away; from somebody
 * else, who logs in then, it keeps all that the one before has seen and begun.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const { t } = useTranslation('session');
  const me = useQuery(meQuery);
  const queries = useQueryClient();
  useAccountPreferences(me.data);
  const [hasEnded, setHasEnded] = useState(false);
  useEffect(
    () =>
      onSession((event) => {
        if (event === 'rights') {
          void queries.invalidateQueries({ queryKey: keys.me });
        } else {
          setHasEnded(event === 'ended');
        }
      }),
    [queries],
  );

  const problem = me.isError ? asProblem(me.error) : null;
  return (
    <>
      {me.data !== undefined && (
        <PersonContext value={me.data}>
          <SessionOverContext value={hasEnded}>
            <Fragment key={me.data.username}>{children}</Fragment>
          </SessionOverContext>
        </PersonContext>
      )}
      {me.isPending && <Skeleton className={classes.waiting} role="progressbar" aria-label={t('loading')} />}
      {problem !== null && problem.status !== 401 && (
        <div className={classes.failed}>
          <ProblemPanel problem={problem} onRetry={() => void me.refetch()} />
        </div>
      )}
      <Modal
        opened={hasEnded}
        onClose={() => undefined}
        withCloseButton={false}
        closeOnEscape={false}
        title={t('again')}
        size="sm"
      >
        <p className={classes.why}>{t('ended')}</p>
        <LoginForm
          onLoggedIn={(person) => {
            if (person.username !== me.data?.username) {
              queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.me[0] });
            }
            queries.setQueryData(keys.me, person);
            tellSession('begun');
            void queries.invalidateQueries();
          }}
        />
      </Modal>
    </>
  );
}
