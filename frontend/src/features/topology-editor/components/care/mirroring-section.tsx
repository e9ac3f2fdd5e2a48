import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ConfirmChange } from '@/components/confirm/confirm-change';
import { FailOver } from '@/components/fail-over';
import { Badge } from '@/components/ui/badge';
import { CopyText } from '@/components/ui/copy-text';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Fact, Facts, Section } from '@/components/ui/section';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { Database, Estate } from '@/contracts/api';
import { mirroringRole, type MirroringRole } from '@/live/mirroring-role';
import { useMissingRight } from '@/hooks/use-rights';
import { useSandbox } from '@/hooks/use-sandbox';
import { tellDone } from '@/lib/notices';
import type { DatabasePath } from '@/topology/selection';

import { setMirroringRole } from '../../api/mirroring-role-set';
import classes from './care.module.css';
import { useLiveDatabase } from '@/hooks/use-live-database';

type Props = { estate: Estate; path: DatabasePath; database: Database };

/** Which half of a mirrored pair this is now, and how the roles change. Nothing for a database that is not mirrored. */
export function MirroringSection({ estate, path, database }: Props) {
  const { t } = useTranslation('care');
  const missing = useMissingRight('edit');
  const sandbox = useSandbox();
  const [asked, setAsked] = useState<'force' | 'yield' | null>(null);
  const partner = partnerOf(estate, path, database);
  const own = mirroringRole(useLiveDatabase(path));
  const far = mirroringRole(useLiveDatabase({ instance: partner ?? '', database: path.database }));
  if (database.partner_address === null && database.state !== 'mirror') {
    return null;
  }
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
          {database.partner_address === null ? (
            t('mirroring.unnamed')
          ) : (
            <CopyText value={database.partner_address} what="partner address" />
          )}
        </Fact>
        <Fact label={t('mirroring.farRole')}>
          {partner === null ? t('mirroring.outside') : <RoleBadge role={far} place={partner} />}
        </Fact>
      </Facts>
      {own === 'principal' && far === 'principal' && <Warning>{t('mirroring.twoPrincipals')}</Warning>}
      {own === 'mirror' && far === 'mirror' && <Warning>{t('mirroring.noPrincipal', path)}</Warning>}
      {sandbox === null && (
        <div className={classes.row}>
          <FailOver estate={estate.name} path={path} partner={partner} own={own} far={far} />
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
      )}
      {asked === 'yield' && (
        <ConfirmChange
          estate={estate.name}
          name={path.database}
          title={t('yield.title', pair)}
          verb={t('yield.verb')}
          busy={t('yield.busy', pair)}
          consequences={[t('yield.takes', pair), t('yield.stays', pair)]}
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

function RoleBadge({ role, place }: { role: MirroringRole; place?: string }) {
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
