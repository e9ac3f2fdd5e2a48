import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { useMissingRight } from '@/hooks/use-rights';
import { i18n } from '@/i18n';
import { failOver } from '@/lib/api/database-failover';
import { tellDone } from '@/lib/notices';
import type { MirroringRole } from '@/live/mirroring-role';
import type { DatabasePath } from '@/topology/selection';

import { ConfirmChange } from './confirm/confirm-change';

type Props = {
  estate: string;
  /** The half at which it begins. */
  path: DatabasePath;
  /** The instance of the other half; null when the estate has none. */
  partner: string | null;
  own: MirroringRole;
  far: MirroringRole;
};

/** A planned failover of a mirrored database: what it does, its name typed, and then both roles change. */
export function FailOver({ estate, path, partner, own, far }: Props) {
  const { t } = useTranslation('components');
  const [isAsked, ask] = useState(false);
  const missing = useMissingRight('edit');
  // What changes what runs is not for a draft.
  const isDrafted = useMissingRight('operate');
  const noPartner = partner === null ? t('failover.noPartner', path) : null;
  const pair = { ...path, partner: partner ?? t('failover.thePartner') };
  const close = () => {
    ask(false);
  };
  return (
    <>
      <GuardedButton
        barred={missing ?? isDrafted ?? noPartner ?? whyNot(path, own, far, partner ?? '')}
        size="compact-sm"
        variant="default"
        onClick={() => {
          ask(true);
        }}
      >
        {t('failover.open')}
      </GuardedButton>
      {isAsked && (
        <ConfirmChange
          estate={estate}
          name={path.database}
          title={t('failover.title', pair)}
          verb={t('failover.verb')}
          busy={t('failover.busy', pair)}
          consequences={[
            t('failover.becomes', pair),
            t('failover.gets', pair),
            t('failover.senders'),
            t('failover.refused', pair),
          ]}
          run={() => failOver(estate, path)}
          onDone={(answer) => {
            tellDone(
              t('failover.done', { principal: answer.principal, mirror: answer.mirror, database: path.database }),
            );
            close();
          }}
          onCancel={close}
        />
      )}
    </>
  );
}

function whyNot(path: DatabasePath, own: MirroringRole, far: MirroringRole, partner: string): string | null {
  if (own === 'unknown' || far === 'unknown') {
    return i18n.t('components:failover.needsBoth', { instance: own === 'unknown' ? path.instance : partner });
  }
  if (own === 'mirror') {
    return far === 'mirror'
      ? i18n.t('components:failover.neither')
      : i18n.t('components:failover.atPrincipal', { partner });
  }
  return far === 'principal' ? i18n.t('components:failover.principalToo', { partner }) : null;
}
