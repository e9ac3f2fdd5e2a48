import { Button, CloseButton, Select, Switch } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { CopyText } from '@/components/ui/copy-text';
import { Older } from '@/components/ui/older';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { Section } from '@/components/ui/section';
import type { AccountChange, Role, User, UserPatch } from '@/contracts/api';
import { asProblem } from '@/lib/errors';
import { keys } from '@/lib/query-client';
import { useAbsoluteTime } from '@/lib/time';

import { accountChangesQuery, loginLinkCreate, userUpdate } from '../api/users';
import { useRoles } from '../use-roles';
import classes from './administration.module.css';

/** One account: what it may do, a way in for its owner, and what was done to it. Each change counts at once. */
export function UserDetails({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation('administration');
  const roles = useRoles();
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (body: UserPatch) => userUpdate({ username: user.username, body }),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.users }),
  });
  const shown = change.isPending ? { ...user, ...definite(change.variables) } : user;
  return (
    <div className={classes.details}>
      <header className={classes.head}>
        <h2>{user.username}</h2>
        <CloseButton size="sm" aria-label={t('close')} onClick={onClose} />
      </header>
      {change.isError && <ProblemPanel problem={asProblem(change.error)} />}
      <Section title={t('rights')}>
        <div className={classes.fields}>
          <Select
            label={t('role')}
            data={roles}
            value={shown.role}
            allowDeselect={false}
            description={t(`may.${shown.role}`)}
            onChange={(role) => {
              change.mutate({ role });
            }}
          />
          <Switch
            label={t('payloads')}
            description={t('payloadsText')}
            checked={shown.reads_payloads}
            onChange={(event) => {
              change.mutate({ reads_payloads: event.currentTarget.checked });
            }}
          />
          <Switch
            label={t('isOn')}
            description={t('isOnText')}
            checked={shown.is_active}
            onChange={(event) => {
              change.mutate({ is_active: event.currentTarget.checked });
            }}
          />
        </div>
      </Section>
      {user.is_active && <LoginLink user={user} />}
      <Changes username={user.username} />
    </div>
  );
}

function definite({ role, reads_payloads: reads, is_active: isOn }: UserPatch): Partial<User> {
  return {
    ...(role === null || role === undefined ? {} : { role }),
    ...(reads === null || reads === undefined ? {} : { reads_payloads: reads }),
    ...(isOn === null || isOn === undefined ? {} : { is_active: isOn }),
  };
}

function LoginLink({ user }: { user: User }) {
  const { t } = useTranslation('administration');
  const timeText = useAbsoluteTime();
  const queries = useQueryClient();
  const make = useMutation({
    mutationFn: loginLinkCreate,
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.users }),
  });
  return (
    <Section title={t('link.heading')}>
      <p className={classes.hint}>{user.has_password ? t('link.text') : t('link.textWithout')}</p>
      {make.isError && <ProblemPanel problem={asProblem(make.error)} />}
      {make.data === undefined ? (
        <Button
          size="xs"
          variant="default"
          loading={make.isPending}
          onClick={() => {
            make.mutate(user.username);
          }}
        >
          {t('link.make')}
        </Button>
      ) : (
        <>
          <CopyText value={make.data.address} what="login link" />
          <p className={classes.hint}>{t('link.until', { time: timeText(Date.parse(make.data.expiresAt)) })}</p>
        </>
      )}
    </Section>
  );
}

function Changes({ username }: { username: string }) {
  const { t } = useTranslation('administration');
  const timeText = useAbsoluteTime();
  const pages = useInfiniteQuery(accountChangesQuery(username));
  const changes = pages.data?.pages.flatMap((page) => page.changes) ?? [];
  return (
    <Section title={t('changes.heading')}>
      <ol className={classes.changes}>
        {changes.map((change) => (
          <li key={change.id}>
            <span>{wordsOf(change, t)}</span>
            <small>
              {t('changes.by', { who: change.author === '' ? t('changes.commandLine') : change.author })} ·{' '}
              {timeText(Date.parse(change.changed_at))}
              {change.client_address === '' ? '' : ` · ${change.client_address}`}
            </small>
          </li>
        ))}
      </ol>
      <Older pages={pages} />
    </Section>
  );
}

function wordsOf(
  { what, before, after }: AccountChange,
  t: ReturnType<typeof useTranslation<'administration'>>['t'],
): string {
  switch (what) {
    case 'created':
      return t('changes.created', { after });
    case 'role':
      return t('changes.role', { before: t(`roles.${before as Role}`), after: t(`roles.${after as Role}`) });
    case 'reads-payloads':
      return after === 'true' ? t('changes.payloadsGiven') : t('changes.payloadsTaken');
    case 'active':
      return after === 'true' ? t('changes.on') : t('changes.off');
    case 'password':
      return t('changes.password');
    case 'login-link':
      return t('changes.link');
    case 'token-created':
      return t('changes.token', { after });
    case 'token-revoked':
      return t('changes.tokenRevoked', { before });
  }
}
