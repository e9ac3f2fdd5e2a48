import { Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Section } from '@/components/ui/section';
import type { Permission, PermissionVerb, Service } from '@/contracts/api';
import { useEdit } from '@/hooks/use-draft';
import { useMissingRight } from '@/hooks/use-rights';
import { useSandbox } from '@/hooks/use-sandbox';
import { setSendPermission } from '@/lib/api/permission-set';
import { tellProblem } from '@/lib/notices';
import { tellUndoable } from '@/lib/tell-undoable';
import { canBeGranted, deniesEverybody, permissionWords } from '@/topology/permissions';
import type { DatabasePath } from '@/topology/selection';

import classes from './inspector.module.css';

type Props = { estate: string; path: DatabasePath; service: Service; users: string[] };

/** Who may begin dialogs with a service; SEND is granted, denied and revoked here. */
export function SendPermissions({ estate, path, service, users }: Props) {
  const { t } = useTranslation('inspector');
  const change = useSendPermission(estate, path, service);
  const sandbox = useSandbox();
  return (
    <Section title={t('send.heading')}>
      {deniesEverybody(service) && <p className={classes.callout}>{t('send.nobody', { owner: service.owner })}</p>}
      {!service.owner_may_receive && (
        <p className={classes.callout}>{t('send.noReceive', { owner: service.owner, queue: service.queue })}</p>
      )}
      <ul className={classes.list}>
        <li className={classes.peer}>
          <div>
            <span className={classes.mono}>{service.owner}</span>
            <span className={classes.place2}>{t('send.owner')}</span>
          </div>
        </li>
        {service.send_permissions.map((permission) => (
          <Grantee key={permission.grantee} permission={permission} change={change} />
        ))}
      </ul>
      {sandbox === null && <GrantForm service={service} users={users} change={change} />}
    </Section>
  );
}

type Asked = { grantee: string; verb: PermissionVerb };
type Change = ReturnType<typeof useSendPermission>;

function useSendPermission(estate: string, path: DatabasePath, service: Service) {
  const edit = useEdit();
  return useMutation({
    mutationFn: ({ grantee, verb }: Asked) =>
      edit((draft) => setSendPermission(estate, path, service.name, grantee, verb, draft)),
    onSuccess: ({ number }, { grantee, verb }) => {
      tellUndoable(permissionWords(grantee, verb, service.name), estate, number);
    },
    onError: tellProblem,
  });
}

function Grantee({ permission, change }: { permission: Permission; change: Change }) {
  const missing = useMissingRight('edit');
  const { t } = useTranslation('inspector');
  const { grantee, is_denied: isDenied } = permission;
  return (
    <li className={classes.peer}>
      <div>
        <span className={classes.mono}>{grantee}</span>
        {grantee === 'public' && <span className={classes.place2}>{t('send.everybody')}</span>}
        <span className={classes.badges}>
          <Badge verdict={isDenied ? 'lost' : 'delivered'}>{isDenied ? t('send.denied') : t('send.may')}</Badge>
        </span>
      </div>
      <GuardedButton
        barred={missing}
        size="compact-xs"
        variant="default"
        loading={change.isPending && change.variables.grantee === grantee}
        aria-label={isDenied ? t('send.takeBackNamed', { grantee }) : t('send.revokeNamed', { grantee })}
        onClick={() => {
          change.mutate({ grantee, verb: 'REVOKE' });
        }}
      >
        {isDenied ? t('send.takeBack') : t('send.revoke')}
      </GuardedButton>
    </li>
  );
}

function GrantForm({ service, users, change }: { service: Service; users: string[]; change: Change }) {
  const { t } = useTranslation('inspector');
  const missing = useMissingRight('edit');
  const choices = canBeGranted(service, users);
  const [chosen, choose] = useState<string | null>(null);
  const grantee = chosen !== null && choices.includes(chosen) ? chosen : null;
  if (choices.length === 0) {
    return null;
  }
  const barred = missing ?? (grantee === null ? t('send.choose') : null);
  const set = (verb: PermissionVerb) => () => {
    if (grantee !== null) {
      change.mutate({ grantee, verb });
    }
  };
  return (
    <div className={classes.grant}>
      <Select
        label={t('send.user')}
        size="xs"
        data={choices}
        value={grantee}
        onChange={choose}
        placeholder={t('send.placeholder')}
      />
      <GuardedButton barred={barred} size="xs" variant="default" loading={change.isPending} onClick={set('GRANT')}>
        {t('send.grant')}
      </GuardedButton>
      <GuardedButton barred={barred} size="xs" variant="default" loading={change.isPending} onClick={set('DENY')}>
        {t('send.deny')}
      </GuardedButton>
    </div>
  );
}
