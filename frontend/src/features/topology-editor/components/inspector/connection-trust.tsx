import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Fact, Facts, Section } from '@/components/ui/section';
import type { Endpoint, KnownPeer } from '@/contracts/api';
import { useEdit } from '@/hooks/use-draft';
import { useMissingRight } from '@/hooks/use-rights';
import { useShownNow } from '@/hooks/use-sandbox';
import { i18n } from '@/i18n';
import { setConnectPermission } from '@/lib/api/connect-permission-set';
import { tellProblem } from '@/lib/notices';
import { tellUndoable } from '@/lib/tell-undoable';
import { useAbsoluteTime } from '@/lib/time';
import { authenticationWords, encryptionWords } from '@/topology/endpoint-clauses';
import { certificateHealth, validityHealth } from '@/topology/trust';

import classes from './inspector.module.css';

type Props = { estate: string; instance: string; endpoint: Endpoint };

/** How an instance and its neighbours prove themselves to each other, and which of them it lets in. */
export function ConnectionTrust({ estate, instance, endpoint }: Props) {
  const { t } = useTranslation('inspector');
  const timeText = useAbsoluteTime();
  const now = useShownNow();
  const { certificate, peers, lets_strangers_in: letsStrangersIn } = endpoint.trust;
  const health = certificate === null ? null : certificateHealth(certificate, now);
  return (
    <>
      <Section title={t('trust.heading')}>
        <Facts>
          <Fact label={t('trust.authentication')}>{authenticationWords(endpoint)}</Fact>
          {certificate !== null && health !== null && (
            <Fact label={t('trust.certificate')}>
              <span className={classes.mono}>{certificate.name}</span>
              <span className={classes.place2}>
                <Badge verdict={health.verdict}>{health.text}</Badge>
              </span>
              {certificate.expires_at !== null && (
                <span className={classes.place2}>
                  {t('trust.until', { at: timeText(Date.parse(certificate.expires_at)) })}
                </span>
              )}
            </Fact>
          )}
          <Fact label={t('trust.encryption')}>{encryptionWords(endpoint)}</Fact>
        </Facts>
      </Section>
      {(certificate !== null || peers.length > 0) && (
        <Section title={t('trust.who')}>
          {letsStrangersIn && <p className={classes.callout}>{t('trust.public')}</p>}
          {peers.length === 0 ? (
            <p className={classes.none}>{t('trust.nobody', { instance })}</p>
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
  const { t } = useTranslation('inspector');
  const missing = useMissingRight('edit');
  const edit = useEdit();
  const { login } = peer;
  const verb = peer.may_connect ? 'REVOKE' : 'GRANT';
  const change = useMutation({
    mutationFn: () => edit((draft) => setConnectPermission(estate, instance, login ?? '', verb, draft)),
    onSuccess: ({ number }) => {
      tellUndoable(
        t(verb === 'GRANT' ? 'trust.mayNow' : 'trust.mayNoMore', { login: login ?? '', instance }),
        estate,
        number,
      );
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
          {login === null || login === peer.owner
            ? t('trust.user', { user: peer.owner })
            : t('trust.userLogin', { user: peer.owner, login })}
        </span>
        <span className={classes.badges}>
          <Badge verdict={peer.may_connect ? 'delivered' : 'lost'}>
            {peer.may_connect ? t('trust.may') : t('trust.mayNot')}
          </Badge>
          {peer.validity !== 'valid' && <Badge verdict={validity.verdict}>{validity.text}</Badge>}
        </span>
      </div>
      <GuardedButton
        barred={barred}
        size="compact-xs"
        variant="default"
        loading={change.isPending}
        aria-label={
          peer.may_connect
            ? t('trust.revokeNamed', { login: login ?? peer.owner })
            : t('trust.grantNamed', { login: login ?? peer.owner })
        }
        onClick={() => {
          change.mutate();
        }}
      >
        {peer.may_connect ? t('trust.revoke') : t('trust.grant')}
      </GuardedButton>
    </li>
  );
}

function whyBarred(peer: KnownPeer): string {
  return peer.owner.toLowerCase() === 'dbo'
    ? i18n.t('inspector:trust.dbo')
    : i18n.t('inspector:trust.noLogin', { user: peer.owner });
}
