import { Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { Badge } from '@/components/ui/badge';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Section } from '@/components/ui/section';
import type { Permission, PermissionVerb, Service } from '@/contracts/api';
import { useEdit } from '@/hooks/use-draft';
import { useMissingRight } from '@/hooks/use-rights';
import { setSendPermission } from '@/lib/api/permission-set';
import { tellProblem } from '@/lib/notices';
import { tellUndoable } from '@/lib/tell-undoable';
import { canBeGranted, deniesEverybody, permissionWords } from '@/topology/permissions';
import type { DatabasePath } from '@/topology/selection';

import classes from './inspector.module.css';

type Props = { estate: string; path: DatabasePath; service: Service; users: string[] };

/** Who may begin dialogs with a service; SEND is granted, denied and revoked here. */
export function SendPermissions({ estate, path, service, users }: Props) {
  const change = useSendPermission(estate, path, service);
  return (
    <Section title="Who may send">
      {deniesEverybody(service) && (
        <p className={classes.callout}>
          SEND is granted to nobody: every dialog but one of {service.owner} or dbo is answered with error -8494.
        </p>
      )}
      {!service.owner_may_receive && (
        <p className={classes.callout}>
          {service.owner} owns the service and may not RECEIVE from {service.queue}: new dialogs are dropped with 8401.
        </p>
      )}
      <ul className={classes.list}>
        <li className={classes.peer}>
          <div>
            <span className={classes.mono}>{service.owner}</span>
            <span className={classes.place2}>Owner, needs no permission</span>
          </div>
        </li>
        {service.send_permissions.map((permission) => (
          <Grantee key={permission.grantee} permission={permission} change={change} />
        ))}
      </ul>
      <GrantForm service={service} users={users} change={change} />
    </Section>
  );
}

type Asked = { grantee: string; verb: PermissionVerb };
type Change = ReturnType<typeof useSendPermission>;

function useSendPermission(estate: string, path: DatabasePath, service: Service) {
  const edit = useEdit();
  return useMutation({
    mutationFn: ({ grantee, verb }: Asked) => edit((draft) => setSendPermission(estate, path, service.name, grantee, verb, draft)),
    onSuccess: ({ number }, { grantee, verb }) => {
      tellUndoable(permissionWords(grantee, verb, service.name), estate, number);
    },
    onError: tellProblem,
  });
}

function Grantee({ permission, change }: { permission: Permission; change: Change }) {
  const missing = useMissingRight('edit');
  const { grantee, is_denied: isDenied } = permission;
  return (
    <li className={classes.peer}>
      <div>
        <span className={classes.mono}>{grantee}</span>
        {grantee === 'public' && <span className={classes.place2}>Everybody, also unsecured and anonymous dialogs</span>}
        <span className={classes.badges}>
          <Badge verdict={isDenied ? 'lost' : 'delivered'}>{isDenied ? 'Denied' : 'May send'}</Badge>
        </span>
      </div>
      <GuardedButton
        barred={missing}
        size="compact-xs"
        variant="default"
        loading={change.isPending && change.variables.grantee === grantee}
        aria-label={isDenied ? `Take back the denial of SEND for ${grantee}` : `Revoke SEND from ${grantee}`}
        onClick={() => {
          change.mutate({ grantee, verb: 'REVOKE' });
        }}
      >
        {isDenied ? 'Take back' : 'Revoke'}
      </GuardedButton>
    </li>
  );
}

function GrantForm({ service, users, change }: { service: Service; users: string[]; change: Change }) {
  const missing = useMissingRight('edit');
  const choices = canBeGranted(service, users);
  const [chosen, choose] = useState<string | null>(null);
  const grantee = chosen !== null && choices.includes(chosen) ? chosen : null;
  if (choices.length === 0) {
    return null;
  }
  const barred = missing ?? (grantee === null ? 'Choose a user of the database, or public.' : null);
  const set = (verb: PermissionVerb) => () => {
    if (grantee !== null) {
      change.mutate({ grantee, verb });
    }
  };
  return (
    <div className={classes.grant}>
      <Select label="User or public" size="xs" data={choices} value={grantee} onChange={choose} placeholder="Choose" />
      <GuardedButton barred={barred} size="xs" variant="default" loading={change.isPending} onClick={set('GRANT')}>
        Grant SEND
      </GuardedButton>
      <GuardedButton barred={barred} size="xs" variant="default" loading={change.isPending} onClick={set('DENY')}>
        Deny SEND
      </GuardedButton>
    </div>
  );
}
