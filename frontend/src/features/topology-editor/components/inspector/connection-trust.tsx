import { useMutation } from '@tanstack/react-query';

import { Badge } from '@/components/ui/badge';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Fact, Facts, Section } from '@/components/ui/section';
import type { Endpoint, KnownPeer } from '@/contracts/api';
import { useEdit } from '@/hooks/use-draft';
import { useNow } from '@/hooks/use-now';
import { useMissingRight } from '@/hooks/use-rights';
import { setConnectPermission } from '@/lib/api/connect-permission-set';
import { tellProblem } from '@/lib/notices';
import { tellUndoable } from '@/lib/tell-undoable';
import { absoluteTime } from '@/lib/time';
import { authenticationWords, encryptionWords } from '@/topology/endpoint-clauses';
import { certificateHealth, validityHealth } from '@/topology/trust';

import classes from './inspector.module.css';

type Props = { estate: string; instance: string; endpoint: Endpoint };

/** How an instance and its neighbours prove themselves to each other, and which of them it lets in. */
export function ConnectionTrust({ estate, instance, endpoint }: Props) {
  const now = useNow();
  const { certificate, peers, lets_strangers_in: letsStrangersIn } = endpoint.trust;
  const health = certificate === null ? null : certificateHealth(certificate, now);
  return (
    <>
      <Section title="Connection security">
        <Facts>
          <Fact label="Authentication">{authenticationWords(endpoint)}</Fact>
          {certificate !== null && health !== null && (
            <Fact label="Certificate">
              <span className={classes.mono}>{certificate.name}</span>
              <span className={classes.place2}>
                <Badge verdict={health.verdict}>{health.text}</Badge>
              </span>
              {certificate.expires_at !== null && (
                <span className={classes.place2}>Valid until {absoluteTime(Date.parse(certificate.expires_at))}</span>
              )}
            </Fact>
          )}
          <Fact label="Encryption">{encryptionWords(endpoint)}</Fact>
        </Facts>
      </Section>
      {(certificate !== null || peers.length > 0) && (
        <Section title="Who may connect">
          {letsStrangersIn && <p className={classes.callout}>CONNECT is granted to public: whoever proves anything is let in.</p>}
          {peers.length === 0 ? (
            <p className={classes.none}>
              master holds no certificate of anybody else, so {instance} knows nobody. Add the public half of a neighbour&rsquo;s
              certificate with CREATE CERTIFICATE … FROM BINARY.
            </p>
          ) : (
            <ul className={classes.list}>
              {peers.map((peer) => (
                <Peer key={peer.certificate} estate={estate} instance={instance} peer={peer} now={now} />
              ))}
            </ul>
          )}
        </Section>
      )}
    </>
  );
}

function Peer({ estate, instance, peer, now }: { estate: string; instance: string; peer: KnownPeer; now: number }) {
  const missing = useMissingRight('edit');
  const edit = useEdit();
  const { login } = peer;
  const verb = peer.may_connect ? 'REVOKE' : 'GRANT';
  const change = useMutation({
    mutationFn: () => edit((draft) => setConnectPermission(estate, instance, login ?? '', verb, draft)),
    onSuccess: ({ number }) => {
      const text =
        verb === 'GRANT'
          ? `${login ?? ''} may connect to ${instance}.`
          : `${login ?? ''} may not connect to ${instance} any more. A connection that is open stays until it is closed.`;
      tellUndoable(text, estate, number);
    },
    onError: tellProblem,
  });
  const validity = validityHealth(peer.validity, peer.expires_at, now);
  const barred = login === null ? whyBarred(peer) : missing;
  return (
    <li className={classes.peer}>
      <div>
        <span className={classes.mono}>{peer.certificate}</span>
        <span className={classes.place2}>
          User {peer.owner}
          {login !== null && login !== peer.owner && `, login ${login}`}
        </span>
        <span className={classes.badges}>
          <Badge verdict={peer.may_connect ? 'delivered' : 'lost'}>{peer.may_connect ? 'May connect' : 'May not connect'}</Badge>
          {peer.validity !== 'valid' && <Badge verdict={validity.verdict}>{validity.text}</Badge>}
        </span>
      </div>
      <GuardedButton
        barred={barred}
        size="compact-xs"
        variant="default"
        loading={change.isPending}
        aria-label={peer.may_connect ? `Revoke CONNECT from ${login ?? peer.owner}` : `Grant CONNECT to ${login ?? peer.owner}`}
        onClick={() => {
          change.mutate();
        }}
      >
        {peer.may_connect ? 'Revoke' : 'Grant'}
      </GuardedButton>
    </li>
  );
}

function whyBarred(peer: KnownPeer): string {
  return peer.owner.toLowerCase() === 'dbo'
    ? 'The certificate belongs to dbo, which may always connect.'
    : `User ${peer.owner} has no login, and permissions on an endpoint go to logins.`;
}
