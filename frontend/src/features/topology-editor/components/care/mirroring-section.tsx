import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { CopyText } from '@/components/ui/copy-text';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Fact, Facts, Section } from '@/components/ui/section';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { Database, Estate } from '@/contracts/api';
import type { DatabaseView } from '@/live/instance-view';
import { useMissingRight } from '@/hooks/use-rights';
import { i18n } from '@/i18n';
import { tellDone } from '@/lib/notices';
import type { DatabasePath } from '@/topology/selection';

import { failOver } from '../../api/database-failover';
import { setMirroringRole } from '../../api/mirroring-role-set';
import classes from './care.module.css';
import { ConfirmChange } from './confirm-change';
import { useLiveDatabase } from './use-live-database';

type Props = { estate: Estate; path: DatabasePath; database: Database };
type Role = 'principal' | 'mirror' | 'unknown';

/** Which half of a mirrored pair this is now, and how the roles change. Nothing for a database that is not mirrored. */
export function MirroringSection({ estate, path, database }: Props) {
  const { t } = useTranslation('care');
  const missing = useMissingRight('edit');
  const [asked, setAsked] = useState<'failover' | 'force' | 'yield' | null>(null);
  const partner = partnerOf(estate, path, database);
  const own = roleOf(useLiveDatabase(path));
  const far = roleOf(useLiveDatabase({ instance: partner ?? '', database: path.database }));
  if (database.partner_address === null && database.state !== 'mirror') {
    return null;
  }
  const noPartner = partner === null ? t('mirroring.noPartner', path) : null;
  const pair = { ...path, partner: partner ?? t('mirroring.thePartner') };
  const close = () => {
    setAsked(null);
  };
  return (
    <Section title={t('mirroring.heading')} term="mirroring">
      <Facts>
        <Fact label={t('mirroring.roleNow')}>
          <RoleBadge role={own} />
        </Fact>
        <Fact label={t('mirroring.partner')}>
          {database.partner_address === null ? t('mirroring.unnamed') : <CopyText value={database.partner_address} what="partner address" />}
        </Fact>
        <Fact label={t('mirroring.farRole')}>{partner === null ? t('mirroring.outside') : <RoleBadge role={far} place={partner} />}</Fact>
      </Facts>
      {own === 'principal' && far === 'principal' && (
        <Warning>{t('mirroring.twoPrincipals')}</Warning>
      )}
      {own === 'mirror' && far === 'mirror' && <Warning>{t('mirroring.noPrincipal', path)}</Warning>}
      <div className={classes.row}>
        <GuardedButton
          barred={missing ?? noPartner ?? whyNoFailover(path, own, far, partner ?? '')}
          size="compact-sm"
          variant="default"
          onClick={() => {
            setAsked('failover');
          }}
        >
          {t('failover.open')}
        </GuardedButton>
        {own === 'principal' && far === 'principal' && (
          <GuardedButton
            barred={missing}
            size="compact-sm"
            variant="default"
            onClick={() => {
              setAsked('yield');
            }}
          >
            {t('yield.open')}
          </GuardedButton>
        )}
        {own !== 'principal' && (
          <GuardedButton
            barred={missing ?? (own === 'unknown' ? t('mirroring.silent', path) : null)}
            size="compact-sm"
            variant="default"
            onClick={() => {
              setAsked('force');
            }}
          >
            {t('force.open')}
          </GuardedButton>
        )}
      </div>
      {asked === 'failover' && (
        <ConfirmChange
          estate={estate.name}
          name={path.database}
          title={t('failover.title', pair)}
          verb={t('failover.verb')}
          busy={t('failover.busy', pair)}
          consequences={[
            t('failover.becomes', pair),
            t('failover.gets', pair),
            t('failover.senders'),
            t('failover.refused'),
          ]}
          run={() => failOver(estate.name, path)}
          onDone={(answer) => {
            tellDone(t('failover.done', { principal: answer.principal, mirror: answer.mirror, database: path.database }));
            close();
          }}
          onCancel={close}
        />
      )}
      {asked === 'yield' && (
        <ConfirmChange
          estate={estate.name}
          name={path.database}
          title={t('yield.title', pair)}
          verb={t('yield.verb')}
          busy={t('yield.busy', pair)}
          consequences={[
            t('yield.takes', pair),
            t('yield.stays', pair),
          ]}
          run={() => setMirroringRole(estate.name, path, 'mirror')}
          onDone={() => {
            tellDone(t('yield.done', pair));
            close();
          }}
          onCancel={close}
        />
      )}
      {asked === 'force' && (
        <ConfirmChange
          estate={estate.name}
          name={path.database}
          title={t('force.title', pair)}
          verb={t('force.verb')}
          busy={t('force.busy', pair)}
          consequences={[
            t('force.becomes', pair),
            partner === null ? t('force.unaskedUnknown') : t('force.unasked', pair),
            t('force.purpose'),
          ]}
          run={() => setMirroringRole(estate.name, path, 'principal')}
          onDone={() => {
            tellDone(t('force.done', pair));
            close();
          }}
          onCancel={close}
        />
      )}
    </Section>
  );
}

function partnerOf(estate: Estate, path: DatabasePath, database: Database): string | null {
  const pair = estate.mirrors.find((mirror) => mirror.broker_instance === database.broker_instance);
  return pair?.instances.find((instance) => instance !== path.instance) ?? null;
}

function roleOf(view: DatabaseView | undefined): Role {
  return view === undefined ? 'unknown' : view.state === 'mirror' ? 'mirror' : 'principal';
}

function whyNoFailover(path: DatabasePath, own: Role, far: Role, partner: string): string | null {
  if (own === 'unknown' || far === 'unknown') {
    return i18n.t('care:mirroring.needsBoth', { instance: own === 'unknown' ? path.instance : partner });
  }
  if (own === 'mirror') {
    return far === 'mirror' ? i18n.t('care:mirroring.neither') : i18n.t('care:mirroring.atPrincipal', { partner });
  }
  return far === 'principal' ? i18n.t('care:mirroring.principalToo', { partner }) : null;
}

function RoleBadge({ role, place }: { role: Role; place?: string }) {
  const { t } = useTranslation('care');
  const verdicts = { principal: 'delivered', mirror: 'mirror', unknown: 'unknown' } as const;
  return (
    <Badge verdict={verdicts[role]}>{place === undefined ? t(`role.${role}`) : t(`roleOn.${role}`, { place })}</Badge>
  );
}

function Warning({ children }: { children: React.ReactNode }) {
  return (
    <p className={classes.warning} role="note">
      <VerdictIcon verdict="lost" size={16} />
      <span>{children}</span>
    </p>
  );
}
